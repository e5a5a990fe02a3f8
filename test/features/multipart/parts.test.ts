import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, HttpError, Route, type Input } from 'verbena'
import { parts, type Part, type PartsOptions } from 'verbena/multipart'
import { sendRequest, createGate } from '#test/apps.js'
import { field, file, writeForm, type WrittenPart } from '#test/multipart.js'

const BOUNDARY = 'x-x'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** Sends a form to an app that reads its parts with `read`. Returns the response. */
async function reading(
  read: (parts: AsyncIterable<Part>) => unknown,
  given: readonly WrittenPart[],
  options: PartsOptions = {},
) {
  class Probe extends Route {
    static readonly post = this.contract({ body: parts(options) })
    async post({ body }: Input<typeof Probe.post>) {
      return read(body)
    }
  }
  const app = createApp({ routes: { Probe }, logger: false, limits: { body: 500, keys: 3 } })
  const body = new Uint8Array(writeForm(BOUNDARY, given))
  const { status, body: value } = await sendRequest(app, '/probe', {
    method: 'POST',
    headers: { 'content-type': TYPE },
    body,
  })
  return { status, value }
}

/** Reads all parts as strings. */
async function texts(body: AsyncIterable<Part>): Promise<unknown> {
  const found: unknown[] = []
  for await (const part of body) found.push([part.name, part.filename ?? null, part.type, await part.text()])
  return found
}

const THREE = [field('a', '1'), file('b', '/x/b.txt', '22'), field('c', '333')]

describe('parts()', () => {
  it('passes the parts to the loop in the order they arrive', async () => {
    const { value } = await reading(texts, THREE)
    const expected = [
      ['a', null, 'text/plain', '1'],
      ['b', 'b.txt', 'text/plain', '22'],
      ['c', null, 'text/plain', '333'],
    ]
    assert.deepEqual(value, expected)
  })

  it('skips the unread bytes of a part, and stops when the loop ends', async () => {
    const begun = async (body: AsyncIterable<Part>): Promise<string[]> => {
      const found: string[] = []
      for await (const part of body) {
        found.push(part.name)
        if (part.name === 'a') for await (const chunk of part) if (chunk.length > 0) break
        if (part.name === 'b') break
      }
      return found
    }
    assert.deepEqual(await reading(begun, THREE), { status: 200, value: ['a', 'b'] })
  })

  it('reads a part in chunks or with bytes()', async () => {
    const sizes = async (body: AsyncIterable<Part>): Promise<number[]> => {
      const found: number[] = []
      for await (const part of body) {
        let size = 0
        if (part.name === 'b') size = (await part.bytes()).length
        else for await (const chunk of part) size += chunk.length
        found.push(size)
      }
      return found
    }
    assert.deepEqual(await reading(sizes, THREE), { status: 200, value: [1, 2, 3] })
  })

  it('passes no parts if the request has no body', async () => {
    class Probe extends Route {
      static readonly post = this.contract({ body: parts() })
      async post({ body }: Input<typeof Probe.post>) {
        return texts(body)
      }
    }
    const { body } = await sendRequest(createApp({ routes: { Probe } }), '/probe', { method: 'POST' })
    assert.deepEqual(body, [])
  })

  it('limits each part, text() and bytes(), the number of parts and the whole body', async () => {
    const large = field('a', 'b'.repeat(501))
    const skip = async (body: AsyncIterable<Part>): Promise<void> => {
      for await (const part of body) void part
    }
    const read = async (body: AsyncIterable<Part>): Promise<void> => {
      for await (const part of body) for await (const chunk of part) void chunk
    }
    const bytes =
      (limit?: number) =>
      async (body: AsyncIterable<Part>): Promise<void> => {
        for await (const part of body) await part.bytes(limit)
      }
    const rows: readonly (readonly [unknown, readonly WrittenPart[], PartsOptions, string | null])[] = [
      [read, [large], {}, 'The part "a" is larger than 500 bytes'],
      [read, [large], { limit: 501 }, null],
      [bytes(), [large], { limit: 501 }, 'The part "a" is larger than 500 bytes'],
      [bytes(501), [large], { limit: 600 }, null],
      [bytes(501), [field('a', 'bcd')], { limit: 2 }, 'The part "a" is larger than 2 bytes'],
      [bytes(2), [field('a', 'bcd')], {}, 'The part "a" is larger than 2 bytes'],
      [skip, [large], { total: 520 }, 'The body is larger than 520 bytes'],
      [skip, [large, large], { limit: 1 }, 'The body is larger than 501 bytes'],
    ]
    for (const [task, given, options, detail] of rows) {
      const { status, value } = await reading(task as typeof skip, given, options)
      assert.deepEqual(
        [status, (value as { detail?: string }).detail],
        detail === null ? [204, undefined] : [413, detail],
      )
    }
    const many = await reading(skip, [...THREE, field('d', '')])
    assert.deepEqual([many.status, (many.value as { detail?: string }).detail], [400, 'The body has more than 3 parts'])
  })

  it('throws an HttpError in the loop if the body is invalid', async () => {
    const caught = async (body: AsyncIterable<Part>): Promise<unknown> => {
      try {
        return await texts(body)
      } catch (error) {
        return error instanceof HttpError && [error.status, error.message, error.extensions]
      }
    }
    const noText = await reading(caught, [field('a', Buffer.from([0xff]))])
    assert.deepEqual(noText.value, [400, 'The part "a" is not valid UTF-8', { part: 'a' }])
    const noName = await reading(caught, [{ head: 'A: b', data: Buffer.from('') }])
    assert.match(String(noName.value), /^400,A part has no name/)
  })

  it('throws if a part is read after the next one was requested, or twice', async () => {
    const late = async (body: AsyncIterable<Part>): Promise<unknown> => {
      const found: Part[] = []
      for await (const part of body) found.push(part)
      return found[0]?.text().catch((error: unknown) => String(error))
    }
    assert.match(
      String((await reading(late, THREE)).value),
      /Cannot read the part "a": the next part was already requested/,
    )
    const twice = async (body: AsyncIterable<Part>): Promise<unknown> => {
      for await (const part of body) {
        await part.text()
        for await (const chunk of part) return chunk.length
      }
      return undefined
    }
    await assert.rejects(
      reading(
        (body) => twice(body).catch((error: unknown) => Promise.reject(new HttpError(409, String(error)))),
        THREE,
      ).then(({ value }) => Promise.reject(value)),
      { detail: /Cannot read the part "a" twice/ },
    )
  })

  it('throws if the next part is requested during a read', async () => {
    const rest = createGate<Uint8Array>()
    const whole = writeForm(BOUNDARY, [field('a', 'b'.repeat(400)), field('c', '')])
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new Uint8Array(whole.subarray(0, 300)))
        controller.enqueue(await rest.opened)
        controller.close()
      },
    })
    class Probe extends Route {
      static readonly post = this.contract({ body: parts() })
      async post({ body }: Input<typeof Probe.post>) {
        const all = body[Symbol.asyncIterator]()
        const { value: part } = await all.next()
        const both = Promise.allSettled([part?.text(), all.next()])
        await new Promise((resolve) => setImmediate(resolve))
        rest.open(new Uint8Array(whole.subarray(300)))
        return (await both).map((result) => (result.status === 'rejected' ? String(result.reason) : 'read'))
      }
    }
    const init = { method: 'POST', headers: { 'content-type': TYPE }, body, duplex: 'half' } as const
    const answer = await createApp({ routes: { Probe } }).fetch(new Request('http://localhost/probe', init))
    const results = (await answer.json()) as string[]
    assert.equal(
      results.filter((result) => /Cannot read two parts at the same time/.test(result)).length,
      1,
      String(results),
    )
  })

  it('reads and ignores the bytes after the last boundary, even byte by byte', async () => {
    const whole = writeForm(BOUNDARY, THREE, '\r\nmore')
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of whole) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    class Probe extends Route {
      static readonly post = this.contract({ body: parts() })
      async post({ body }: Input<typeof Probe.post>) {
        return texts(body)
      }
    }
    const init = { method: 'POST', headers: { 'content-type': TYPE }, body, duplex: 'half' } as const
    const answer = await createApp({ routes: { Probe } }).fetch(new Request('http://localhost/probe', init))
    assert.equal(((await answer.json()) as unknown[]).length, 3)
    assert.ok((await body.getReader().read()).done)
  })

  it('reads the body no faster than the handler reads the part', async () => {
    let pulled = 0
    const chunk = Buffer.alloc(1_000, 'x')
    const head = Buffer.from(`--${BOUNDARY}\r\n${field('a', '').head}\r\n\r\n`)
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          controller.enqueue(new Uint8Array(pulled++ === 0 ? head : chunk))
        },
      },
      { highWaterMark: 0 },
    )
    const counts: number[] = []
    class Probe extends Route {
      static readonly post = this.contract({ body: parts({ limit: 1_000_000 }) })
      async post({ body }: Input<typeof Probe.post>) {
        for await (const part of body) {
          for await (const piece of part) {
            counts.push(pulled)
            await new Promise((resolve) => setImmediate(resolve))
            if (counts.length === 5) return piece.length
          }
        }
        return 0
      }
    }
    const init = { method: 'POST', headers: { 'content-type': TYPE }, body, duplex: 'half' } as const
    const answer = await createApp({ routes: { Probe } }).fetch(new Request('http://localhost/probe', init))
    assert.equal(await answer.text(), '1000')
    // A request may hold one chunk back.
    for (const [at, count] of counts.entries()) assert.ok(count <= at + 3, counts.join(' '))
  })

  it('rejects unknown options and negative limits', () => {
    const code = { name: 'SetupError', code: 'OPTION_INVALID' }
    assert.throws(() => parts({ limit: -1 }), code)
    assert.throws(() => Reflect.apply(parts, null, [{ most: 1 }]), code)
  })
})
