/** Setting a header to a value that is not a string throws a TypeError, on both paths and through `fetch`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, redirect, reply, Route, type App, type Context, type Middleware } from 'verbena'
import { sendRequest, captureLog, createUntypedApp } from '#test/apps.js'
import { sendStrictly } from '#test/attack-rows.js'
import { formatGet } from '#test/serving.js'

/** Values that JavaScript code may pass. An object could convert to a different string each time. */
const INVALID: readonly unknown[] = [
  undefined,
  5,
  true,
  Symbol('a'),
  {},
  ['a', 'b'],
  { toString: () => 'a' },
  () => 'a',
  // oxlint-disable-next-line no-thenable -- its rejection must not end the process
  { then: (_: unknown, reject: (error: Error) => void) => reject(new Error('rejected')) },
]

type Setter = (value: string, context: Context) => unknown

/** Each way in which a handler sets a header. */
const SETTERS: Readonly<Record<string, Setter>> = {
  'response.header()': (value, { response }) => response.header('x-tenant', value),
  'response.append()': (value, { response }) => response.append('x-tenant', value),
  'response.cookie()': (value, { response }) => response.cookie('tenant', value),
  'response.link()': (value, { response }) => response.link('next', value),
  'reply()': (value) => reply(200, { ok: true }, { 'x-tenant': value }),
  'reply() without a body': (value) => reply(204, undefined, { 'x-tenant': value }),
  'reply().with()': (value) => reply(200, { ok: true }).with({ 'x-tenant': value }),
  'redirect()': (value) => redirect(value),
  HttpError: (value) => {
    throw new HttpError(409, 'Taken', { headers: { 'x-tenant': value } })
  },
}

function appOf(method: (context: Context) => unknown, options: object = {}): App {
  class Probe extends Route {
    get(context: Context) {
      return method(context)
    }
  }
  return createUntypedApp({ routes: { Probe }, signals: false, ...options })
}

/** Starts an app, sends one request, and closes the app. */
async function statusOf(app: App): Promise<number | undefined> {
  const { port } = await app.listen()
  try {
    return (await sendStrictly(port, formatGet('/probe', 'Connection: close\r\n')))[0]?.status
  } finally {
    await app.close()
  }
}

describe('header values', () => {
  for (const [name, set] of Object.entries(SETTERS)) {
    it(`throws a TypeError in ${name} unless the value is a string`, async () => {
      for (const value of INVALID) {
        const thrown: unknown[] = []
        const method = (context: Context): unknown => {
          try {
            // Proof: JavaScript code may pass a value that the types reject.
            return set(value as string, context)
          } catch (error) {
            thrown.push(error)
            throw error
          }
        }
        for (const fastPath of [true, false]) assert.equal(await statusOf(appOf(method, { fastPath })), 500)
        assert.equal((await sendRequest(appOf(method), '/probe')).status, 500)
        for (const error of thrown) {
          assert.ok(error instanceof TypeError, String(error))
          assert.match(error.message, /^Cannot .* must be a string/)
        }
        assert.equal(thrown.length, 3)
      }
    })
  }

  it('names the header and the fix', () => {
    const header = { 'x-tenant': undefined as unknown as string }
    assert.throws(() => reply(200, null, header), {
      name: 'TypeError',
      message:
        'Cannot set header "x-tenant": its value must be a string, not undefined. Pass null to remove the header',
    })
    assert.throws(() => reply(200, null, { 'x-tenant': ['a'] as unknown as string }), /not an array/)
  })

  it('removes a header if the value is null', async () => {
    const app = appOf(({ response }) => {
      response.header('x-tenant', 'a')
      response.header('x-tenant', null)
      return reply(200, { ok: true }, { 'x-other': 'a' }).with({ 'x-other': null })
    })
    const { status, headers } = await sendRequest(app, '/probe')
    assert.deepEqual([status, headers.get('x-tenant'), headers.get('x-other')], [200, null, null])
  })

  it('responds 500 if middleware sets a value that is not a string', async () => {
    const { logger, lines } = captureLog()
    const header = { 'x-tenant': undefined as unknown as string }
    const adds: Middleware = async (_, next) => (await next()).with(header)
    assert.equal(await statusOf(appOf(() => 'fine', { middleware: [adds], logger })), 500)
    assert.match(String(lines[0]?.fields['err']), /must be a string, not undefined/)
  })

  it('responds 500 if a header name is not a string', async () => {
    const name = { toLowerCase: () => 'a\r\nset-cookie: b', toString: () => 'a' } as unknown as string
    assert.equal(
      (
        await sendRequest(
          appOf(({ response }) => response.header(name, 'a')),
          '/probe',
        )
      ).status,
      500,
    )
    assert.equal(
      (
        await sendRequest(
          appOf(({ response }) => response.cookie(name, 'a')),
          '/probe',
        )
      ).status,
      500,
    )
  })
})
