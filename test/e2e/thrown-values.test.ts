/** A thrown value that is not an error has no stack. The log says so, and names the place to look. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Route, type Middleware } from 'verbena'
import { sendRequest, captureLog, createUntypedApp } from '#test/apps.js'

let thrown: unknown = null

class Users extends Route {
  static readonly get = this.contract({ summary: 'Fail' })
  get() {
    throw thrown
  }
  async post() {
    await Promise.resolve()
    throw thrown
  }
}

const WAY_OUT = 'Write "throw new Error(…)", or "throw new HttpError(…)" to send it to the client'
const said = (what: string, where: string): string =>
  `Cannot tell where ${what} was thrown for ${where}: only an Error has a stack. ${WAY_OUT}`

async function loggedFor(
  value: unknown,
  method = 'GET',
  options: object = {},
  path = '/users',
): Promise<{ readonly err?: unknown }> {
  thrown = value
  const { logger, lines } = captureLog()
  const { status } = await sendRequest(createUntypedApp({ routes: { Users }, logger, ...options }), path, { method })
  assert.deepEqual([status, lines.length], [500, 1])
  return lines[0]?.fields ?? {}
}

describe('thrown values in the log', () => {
  for (const [what, value] of [
    ['"as it \\"was\\""', 'as it "was"'],
    ['undefined', undefined],
    ['null', null],
    ['a number', 404],
    ['a symbol', Symbol('s')],
    ['a function', () => 1],
    ['an array', [1]],
    ['a plain object', { status: 404, message: 'no' }],
    [`"${'x'.repeat(100)}"`, 'x'.repeat(1000)],
  ] as const) {
    it(`logs that ${what.slice(0, 20)} is not an error, with a fix`, async () => {
      const { err: error } = await loggedFor(value)
      assert.ok(error instanceof Error)
      assert.deepEqual([error.message, error.cause], [said(what, '"Users.get"'), value])
    })
  }

  it('logs the location of the contract without frames of the framework', async () => {
    const { err: error } = await loggedFor('text')
    assert.match(String(Object(error).stack), /^Error: Cannot tell .*\n +at .*thrown-values\.test\.ts:\d+:\d+\)?$/)
  })

  it('logs where the value was caught if there is no contract', async () => {
    const { err: error } = await loggedFor('text', 'POST')
    assert.equal(Object(error).message, said('"text"', '"Users.post"'))
    assert.match(String(Object(error).stack), /^Error: Cannot tell .*\n +at /)
  })

  it('logs no endpoint name for a request without an endpoint', async () => {
    const middleware: Middleware[] = [() => Promise.reject('text')]
    const { err: error } = await loggedFor('text', 'GET', { middleware }, '/none')
    assert.equal(Object(error).message, said('"text"', 'a request without an endpoint'))
  })

  it('logs errors of any origin unchanged', async () => {
    const own = new RangeError('own')
    const foreign = { name: 'Foreign', stack: 'Foreign\n    at there' }
    const hostile = new Proxy({}, { get: () => assert.fail('touched') })
    for (const error of [own, foreign, hostile]) {
      const { err } = await loggedFor(error)
      assert.ok(err === error)
    }
  })

  it('passes the thrown value itself to mapError and middleware', async () => {
    const seen: unknown[] = []
    const middleware: Middleware[] = [
      async (_context, next) => {
        const reply = await next()
        seen.push(reply.error)
        return reply
      },
    ]
    await loggedFor('text', 'GET', { middleware, mapError: (error: unknown) => void seen.push(error) })
    assert.deepEqual(seen, ['text', 'text'])
  })
})
