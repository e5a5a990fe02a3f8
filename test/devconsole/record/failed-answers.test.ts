/** Failed requests in the console, after an error format, `mapError` or middleware has changed their responses. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, reply, type Middleware } from 'verbena'
import { RunningApp } from '#src/app/running-app.js'
import { newestRecord, openConsole, post } from '#test/console.js'
import * as z from 'zod'

const errorFormat = {
  schema: z.object({ code: z.number() }),
  write: ({ status }: { status: number }) => ({ code: status }),
}
const hiding: Middleware = async (_context, next) =>
  (await next()).error === undefined ? reply(204, null) : reply(200, 'fine')
const throwing: Middleware = async (_context, next) => {
  const { error } = await next()
  throw error === undefined ? new Error('none') : new HttpError(400, 'Something is wrong')
}
const mapError = () => new HttpError(400, 'Mapped')

const MAKING: readonly (readonly [about: string, options: object, status: number])[] = [
  ['an error format', { errorFormat }, 422],
  ['mapError', { mapError }, 400],
  ['middleware that responds with a success', { middleware: [hiding] }, 200],
  ['middleware that throws another error', { middleware: [throwing] }, 400],
  ['all of them', { errorFormat, mapError, middleware: [throwing] }, 400],
]

describe('console: issues of a request', () => {
  for (const [about, options, status] of MAKING) {
    it(`shows and counts issues with ${about}`, async () => {
      const { url, close } = await openConsole(true, options)
      try {
        assert.equal((await post(`${url}/books/1`, { title: 7 })).status, status)
        const record = await newestRecord(url, 1)
        assert.deepEqual([record['dev.issues'], record['dev.flags']], [1, ['invalid']])
        assert.deepEqual(
          record.issues.map(({ side, where }) => [side, where]),
          [['request', 'body.title']],
        )
      } finally {
        await close()
      }
    })
  }

  it('shows the issues of a response that does not match its contract', async () => {
    const { url, close } = await openConsole(true, { middleware: [hiding] })
    try {
      assert.equal((await post(`${url}/books/1`, { title: 'mismatch' })).status, 200)
      const { issues } = await newestRecord(url, 1)
      assert.deepEqual(
        issues.map(({ side, where }) => [side, where]),
        [['response', 'body.title']],
      )
    } finally {
      await close()
    }
  })

  it('shows no issues if middleware rejects the request', async () => {
    const refusing: Middleware = () => Promise.reject(new HttpError(403))
    const { url, close } = await openConsole(true, { middleware: [refusing] })
    try {
      await post(`${url}/books/1`, { title: 7 })
      assert.deepEqual((await newestRecord(url, 1)).issues, [])
    } finally {
      await close()
    }
  })
})

describe('console: a response that cannot be read again', () => {
  it('leaves no request in flight if reading the response throws', async () => {
    for (let failing = 1; failing <= 8; failing++) {
      const bytes: Middleware = () => {
        let reads = 0
        const length = (): number => (++reads === failing ? assert.fail('as it happens') : 4)
        const data = Object.defineProperty(new Uint8Array(4), 'byteLength', { get: length })
        return Promise.resolve(reply(200, data, { 'content-type': 'text/plain' }))
      }
      const { url, app, close } = await openConsole(true, { middleware: [bytes] })
      await fetch(`${url}/books/1`).catch(() => null)
      const recorder = RunningApp.partsOf(app)?.state.channel.observer
      await close()
      assert.equal(Object(recorder).inFlight, 0, `read ${failing}`)
    }
  })
})
