/** Files on disk: how they are stored and read, and their deletion when the request is done. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  createApp,
  HttpError,
  provide,
  reply,
  Route,
  type App,
  type CommonOptions,
  type Context,
  type Input,
  type Uses,
} from 'verbena'
import { multipart } from 'verbena/multipart'
import { captureLog, createGate, looseContract, createUntypedApp } from '#test/apps.js'
import { file, writeForm } from '#test/multipart.js'
import { createDirectory } from '#test/temp-directory.js'
import * as z from 'zod'

const BOUNDARY = 'x-x'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`
const TEXT = '0123456789'.repeat(20_000)
const home = createDirectory({})
const folder = join(home, 'below', 'uploads')

/** Uses of the file in the handler and after the response. */
interface Doing {
  readonly handle: (file: File) => unknown
  readonly after?: (file: File) => unknown
  readonly uses?: Uses
}

function keeping({ handle, after: later, uses = {} }: Doing, options: CommonOptions = {}): App {
  const body = multipart(z.object({ n: z.string().optional() }), {
    files: { image: { limit: 1_000_000 }, second: { optional: true, limit: 5 } },
    folder,
  })
  class Probe extends Route {
    async post({ body: { files }, response }: { body: { files: { image: File } } } & Context) {
      if (later !== undefined) response.after(() => later(files.image))
      return handle(files.image)
    }
  }
  Object.defineProperty(Probe, 'post', { value: looseContract(Probe, { uses, body }) })
  return createUntypedApp({ routes: { Probe }, signals: false, ...options })
}

const BODY = new Uint8Array(writeForm(BOUNDARY, [file('image', 'a.txt', TEXT)]))
const post = (body = BODY) =>
  new Request('http://localhost/probe', { method: 'POST', headers: { 'content-type': TYPE }, body })
const left = (): string[] => (statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder))

/** Returns the stored bytes of all requests. The directory of a request is created before its first file. */
function stored(): number {
  const files = left().flatMap((place) => readdirSync(join(folder, place)).map((name) => join(folder, place, name)))
  return files.reduce((bytes, path) => bytes + statSync(path).size, 0)
}

/** Counts the chunks in which a file is read. */
async function countOf(image: File): Promise<number> {
  let count = 0
  for await (const chunk of image.stream()) count += Math.sign(chunk.length)
  return count
}

/** Waits for the cleanup of all requests. */
async function over(app: App): Promise<void> {
  await app.close()
}

describe('multipart(): files in "folder"', () => {
  it('implements all properties and read methods of File', async () => {
    const app = keeping({
      handle: async (image) => ({
        facts: [image instanceof File, image.size, image.name, image.type, String(image)],
        text: (await image.text()) === TEXT,
        buffer: (await image.arrayBuffer()).byteLength,
        bytes: (await image.bytes()).length,
        chunks: await countOf(image),
        slices: await Promise.all(
          [
            image.slice(3, 6),
            image.slice(-3),
            image.slice(-5, -3),
            image.slice(199_998, 300_000),
            image.slice(5, 2),
            image.slice(3, 9).slice(1, -1),
          ].map((part) => part.text()),
        ),
        type: image.slice(0, 1, 'text/css').type,
      }),
    })
    const answer = await app.fetch(post())
    assert.deepEqual(await answer.json(), {
      facts: [true, TEXT.length, 'a.txt', 'text/plain', '[object File]'],
      ...{ text: true, buffer: TEXT.length, bytes: TEXT.length, chunks: 4 },
      slices: ['345', '789', '56', '89', '', '4567'],
      type: 'text/css',
    })
    await over(app)
  })

  it('stores the file with a random name in a separate directory, readable only by the owner', async () => {
    const app = keeping({
      handle: () => {
        const [place = ''] = left()
        const [name = ''] = readdirSync(join(folder, place))
        const modes = [home, join(home, 'below'), folder, join(folder, place), join(folder, place, name)].map(
          (path) => statSync(path).mode & 0o777,
        )
        return { modes, name, count: left().length }
      },
    })
    const answer = await app.fetch(post())
    // Proof: the handler returns these properties.
    const { modes, name, count } = (await answer.json()) as { modes: number[]; name: string; count: number }
    assert.deepEqual([modes.slice(1), count], [[0o700, 0o700, 0o700, 0o600], 1])
    assert.match(name, /^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    await over(app)
    assert.deepEqual(left(), [])
  })

  it('keeps a small file in memory', async () => {
    const app = keeping({ handle: async (image) => `${left().length} ${await image.text()}` })
    const answer = await app.fetch(post(new Uint8Array(writeForm(BOUNDARY, [file('image', 'a', 'small')]))))
    assert.equal(await answer.text(), '0 small')
    await over(app)
  })

  it('can stream a file as the response; the file is readable in tasks after the response, but not later', async () => {
    const sizes: unknown[] = []
    const kept: File[] = []
    const watching = provide(
      {},
      function* () {
        yield 1
        sizes.push(left().length)
      },
      { ends: 'after-response' },
    )
    const app = keeping({
      uses: { watching },
      handle: (image) => image.stream(),
      after: async (image) => {
        kept.push(image)
        sizes.push((await image.text()).length)
      },
    })
    const answer = await app.fetch(post())
    assert.equal(await answer.text(), TEXT)
    await over(app)
    assert.deepEqual([sizes, left()], [[1, TEXT.length], []])
    await assert.rejects(async () => kept[0]?.text(), /Cannot use a file of a completed request/)
  })

  it('deletes the file if the handler throws, another part is rejected, or the body is incomplete', async () => {
    const { logger } = captureLog()
    const failing = [new HttpError(409), new Error('broken')]
    const app = keeping(
      {
        handle: () => {
          throw failing.shift()
        },
      },
      { logger },
    )
    const second = new Uint8Array(writeForm(BOUNDARY, [file('image', 'a', TEXT), file('second', 'b', '123456')]))
    const third = new Uint8Array(writeForm(BOUNDARY, [file('image', 'a', TEXT), file('image', 'b', 'c')]))
    const half = BODY.slice(0, -10)
    const statuses: number[] = []
    for (const body of [BODY, BODY, second, third, half]) statuses.push((await app.fetch(post(body))).status)
    assert.deepEqual(statuses, [409, 500, 413, 422, 400])
    await over(app)
    assert.deepEqual(left(), [])
  })

  it('deletes the file if the client disconnects during the upload or the response', async () => {
    const begun = createGate()
    const app = keeping({
      handle: (image) => {
        begun.open()
        return image.stream()
      },
    })
    const { port } = await app.listen()
    const head = `POST /probe HTTP/1.1\r\nHost: a\r\nContent-Type: ${TYPE}\r\nContent-Length: ${BODY.length}\r\n\r\n`
    const sender = connect(port, '127.0.0.1')
    sender.write(head)
    sender.write(BODY.subarray(0, 150_000))
    while (left().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    sender.destroy()
    const reader = connect(port, '127.0.0.1').on('error', () => {})
    reader.write(head)
    reader.write(BODY)
    await begun.opened
    await once(reader, 'data')
    reader.destroy()
    await over(app)
    assert.deepEqual(left(), [])
  })

  it('deletes a partial file and stores no further bytes if middleware responds during the upload', async () => {
    const { logger, lines } = captureLog()
    const app = keeping(
      { handle: () => 'never' },
      {
        logger,
        middleware: [
          async (_, next) => {
            void next()
            while (stored() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
            return reply(200, 'early')
          },
        ],
      },
    )
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) })
    const answer = app.fetch(
      new Request('http://localhost/probe', {
        method: 'POST',
        headers: { 'content-type': TYPE },
        body,
        duplex: 'half',
      }),
    )
    controller?.enqueue(BODY.subarray(0, 150_000))
    assert.equal(await (await answer).text(), 'early')
    while (left().length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    controller?.enqueue(BODY.subarray(150_000))
    while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(lines[0]?.message, 'Handler failed after the response')
    assert.match(String(lines[0]?.fields['err']), /Cannot use a file of a completed request/)
    await over(app)
    assert.deepEqual(left(), [])
  })

  it('rejects a read and closes the file if the request ends while the file is being opened', async () => {
    const reads: Promise<void>[] = []
    const app = keeping({
      handle: () => 'done',
      after: (image) => {
        const read = image.stream().getReader().read()
        reads.push(assert.rejects(read, /Cannot use a file of a completed request/))
      },
    })
    assert.equal((await app.fetch(post())).status, 200)
    await over(app)
    assert.equal(reads.length, 1)
    await Promise.all(reads)
    assert.deepEqual(left(), [])
  })

  it('stores no file if a guard rejects the request', async () => {
    const guard = provide({ errors: [403] }, () => {
      throw new HttpError(403)
    })
    const app = keeping({ uses: { guard }, handle: () => 'never' })
    assert.equal((await app.fetch(post())).status, 403)
    await over(app)
    assert.deepEqual(left(), [])
  })

  it('responds 500 and logs an error if the directory cannot be created', async () => {
    const { logger, lines } = captureLog()
    const blocked = join(home, 'file')
    writeFileSync(blocked, '')
    class Probe extends Route {
      static readonly post = this.contract({
        body: multipart({ files: { image: {} }, folder: join(blocked, 'a'), memory: 0 }),
      })
      async post({ body }: Input<typeof Probe.post>) {
        return body.files.image.size
      }
    }
    const app = createApp({ routes: { Probe }, logger, signals: false })
    const answer = await app.fetch(post())
    assert.equal(answer.status, 500)
    await over(app)
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['The request failed unexpectedly'],
    )
  })
})

describe('multipart(): files in "folder" after a timeout', () => {
  it('keeps a file readable after a handler timeout until the method has settled', async () => {
    const [finish, read] = [createGate(), createGate<string>()]
    const handle = async (image: File): Promise<string> => {
      await finish.opened
      read.open(await image.text())
      return 'late'
    }
    const app = keeping({ handle }, { timeouts: { handler: 20 }, logger: false })
    assert.equal((await app.fetch(post())).status, 503)
    await new Promise(setImmediate)
    assert.equal(left().length, 1)
    finish.open()
    assert.equal(await read.opened, TEXT)
    await over(app)
    assert.deepEqual(left(), [])
  })
})
