// own process: it measures the heap
/** Memory limits of the console: memory grows neither with requests nor with clients that do not read. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import type { RecordedTrail } from '#src/devconsole/record/recorded-trail.js'
import type { RecordedRequest } from '#src/observe/request-recorder.js'
import { openConsole, waitForSnapshot } from '#test/console.js'
import { createHost } from '#test/console-host.js'
import { okResponse, QUIET } from '#test/console-trails.js'
import { heapAfterGc } from '#test/heap.js'

const MB = 1024 * 1024

const FACTS: RecordedRequest = {
  ...QUIET,
  path: '/upload',
  headers: { host: 'localhost', 'content-type': 'text/plain' },
}

/** Records a request with a large body and an equally large response; every tenth request fails. */
function answer({ recorder }: ReturnType<typeof makeParts>, index: number): void {
  const text = `${index} `.repeat(20_000)
  const head = { method: 'POST', url: '/upload' }
  const began = performance.now()
  // A log line makes the request notable, so it leaves a trail. Proof: the path is recorded.
  const trail = (recorder.begin(head, began) ?? recorder.observe(head, began)) as RecordedTrail
  trail.named(`id-${index}`)
  trail.called('db.save', [text, { text }])?.end(undefined)
  recorder.line({ level: 'info', fields: { requestId: `id-${index}`, text }, message: text })
  const status = index % 10 === 0 ? 500 : 200
  const error = status === 500 ? new Error(text) : undefined
  trail.end({ ...FACTS, error, body: Buffer.from(text), response: okResponse(status, text) })
}

describe('console: memory limits', () => {
  it('uses as much memory after 50,000 requests with large bodies as after 10,000', async () => {
    const parts = makeParts(createHost())
    for (let index = 0; index < 10_000; index++) answer(parts, index)
    const before = await heapAfterGc()
    for (let index = 0; index < 40_000; index++) answer(parts, index)
    const grown = (await heapAfterGc()) - before
    assert.ok(grown < 12 * MB, `${(grown / MB).toFixed(1)} MB`)
    const { bytes, maxBytes, count } = parts.store.facts(0)
    assert.ok(bytes <= maxBytes && count <= 620)
  })

  it('does not underestimate the memory of its records', async () => {
    const parts = makeParts(createHost())
    const before = await heapAfterGc()
    for (let index = 0; index < 900; index++) answer(parts, index)
    const held = (await heapAfterGc()) - before
    const { bytes } = parts.store.facts(0)
    assert.ok(held < bytes + 8 * MB, `${(held / MB).toFixed(1)} MB held, ${(bytes / MB).toFixed(1)} MB counted`)
    assert.equal(parts.store.all.length > 0, true)
  })

  it('does not use more memory for a feed client that does not read', async () => {
    const shown = await openConsole()
    const load = async () => {
      for (let round = 0; round < 30; round++) {
        await Promise.all(Array.from({ length: 50 }, () => fetch(`${shown.url}/books/${'x'.repeat(1_000)}`)))
      }
    }
    await load()
    const socket = connect(shown.port, '127.0.0.1')
    socket.write('GET /__dev__/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(socket, 'readable')
    const before = await heapAfterGc()
    await load()
    await waitForSnapshot(shown.url, 500)
    const grown = (await heapAfterGc()) - before
    assert.ok(grown < 12 * MB, `${(grown / MB).toFixed(1)} MB`)
    socket.destroy()
    await shown.close()
  })
})
