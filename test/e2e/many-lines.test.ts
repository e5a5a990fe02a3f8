// own process: measures the memory of the process
/** `jsonLines()` with a million lines, both ways: its memory, slow readers and slow handlers. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Route, type Input } from 'verbena'
import { jsonLines } from 'verbena/lines'
import * as z from 'zod'
import { createUntypedApp } from '#test/apps.js'
import { heapAfterGc } from '#test/heap.js'
import { formatRequest } from '#test/wire.js'

const TOTAL = 1_000_000
const Item = z.object({ n: z.int() })

/** Heap sizes in bytes, measured while the lines 100,000 and 900,000 are in progress. */
const sizes: number[] = []

async function measure(n: number): Promise<void> {
  if (n === 100_000 || n === 900_000) sizes.push(await heapAfterGc())
}

class Lines extends Route {
  static readonly get = this.contract({ returns: jsonLines(Item) })
  async *get() {
    for (let n = 1; n <= TOTAL; n++) {
      if (n % 100_000 === 0) await measure(n)
      yield { n }
    }
  }
  static readonly post = this.contract({
    body: jsonLines(Item, { limit: 100_000_000 }),
    returns: z.object({ sum: z.int() }),
  })
  async post({ body }: Input<typeof Lines.post>) {
    let sum = 0
    for await (const { n } of body) {
      if (n % 100_000 === 0) await measure(n)
      sum += n
    }
    return { sum }
  }
}

function* groupLines(): Generator<string> {
  for (let n = 1; n <= TOTAL; n += 1_000) yield Array.from({ length: 1_000 }, (_, at) => `{"n":${n + at}}\n`).join('')
}

/** Starts the app, and asserts that the heap of the task does not grow. */
async function assertConstant(task: (url: string) => Promise<void>): Promise<void> {
  const app = createUntypedApp({ routes: { Lines }, signals: false })
  const { url } = await app.listen()
  sizes.length = 0
  await task(`${url}/lines`)
  await app.close()
  const [early = 0, late = Number.POSITIVE_INFINITY] = sizes
  assert.ok(late - early < 3_000_000, `the heap has grown from ${early} to ${late} bytes`)
}

describe('a million lines', () => {
  it('take constant memory in a response', { timeout: 60_000 }, () =>
    assertConstant(async (url) => {
      const { body } = await fetch(url)
      let [count, last] = [0, '']
      for await (const bytes of body ?? []) {
        last = Buffer.from(bytes.subarray(-12)).toString()
        for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++
      }
      assert.equal(count, TOTAL)
      assert.match(last, /1000000\}\n$/)
    }),
  )

  // `fetch` retains some of the body that it sends, so this client is a socket.
  it('take constant memory in a body', { timeout: 60_000 }, () =>
    assertConstant(async (url) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.write(formatRequest('POST /lines', { 'Content-Type': 'application/jsonl', 'Content-Length': '12888896' }))
      const sending = writeTo(socket)
      let text = ''
      for await (const bytes of socket) text += String(bytes)
      await sending
      assert.match(text, /\{"sum":500000500000\}$/)
    }),
  )
})

async function writeTo(socket: Socket): Promise<void> {
  for (const lines of groupLines()) if (!socket.write(lines)) await once(socket, 'drain')
}

describe('jsonLines() with curl', () => {
  it('reads the lines that curl sends, and writes lines for curl', async () => {
    class Echo extends Route {
      static readonly post = this.contract({ body: jsonLines(Item), returns: jsonLines(Item) })
      post({ body }: Input<typeof Echo.post>) {
        return body
      }
    }
    const app = createUntypedApp({ routes: { Echo }, signals: false })
    const { url } = await app.listen()
    const type = 'content-type: application/x-ndjson'
    const body = '{"n":1}\r\n{"n":2}\n{"n":4}'
    const args = ['--silent', '--no-buffer', '--max-time', '20', '-H', type, '--data-binary', body, `${url}/echo`]
    const { stdout } = await promisify(execFile)('curl', args)
    await app.close()
    assert.equal(stdout, '{"n":1}\n{"n":2}\n{"n":4}\n')
  })
})
