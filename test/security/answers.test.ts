/** Attacks on responses: any thrown value, values that JSON cannot represent, contract violations. Each is a 500 without details. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { HttpError, reply, Route } from 'verbena'
import * as z from 'zod'
import { actRoute, Alive, assertSilent, SECRET, type ActRow, type Acts } from '#test/response-routes.js'
import { captureLog, createUntypedApp } from '#test/apps.js'
import { formatTitle } from '#test/attack-rows.js'

function frozen(): unknown {
  return Object.freeze(new Error(SECRET))
}

function cyclic(): unknown {
  const error = new Error(SECRET)
  error.cause = error
  return error
}

/** An error that throws at every operation. */
function hostile(): unknown {
  const fail = (): never => {
    throw new Error(SECRET)
  }
  return new Proxy(new Error(SECRET), {
    get: fail,
    has: fail,
    getPrototypeOf: fail,
    ownKeys: fail,
    getOwnPropertyDescriptor: fail,
  })
}

class Getters extends Error {
  override get message(): string {
    throw new Error(SECRET)
  }

  override get stack(): string {
    throw new Error(SECRET)
  }

  get status(): number {
    throw new Error(SECRET)
  }

  override toString(): string {
    throw new Error(SECRET)
  }
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function cyclicExtension(): unknown {
  const self: Record<string, unknown> = {}
  self['self'] = self
  return new HttpError(400, SECRET, { self })
}

const ANYTHING = 'JavaScript can throw any value'
const NO_DETAIL = 'RFC 9457 §5: details of an implementation'
const TOUCHED = 'an error handler that throws ends the process, as in Express'
const OWN_STATUS = 'only an HttpError sets the status; other frameworks use `status` of any error'
const OUT_OF_RANGE = 'RFC 9110 §15: error statuses are 400 to 599'
const SPLIT = 'RFC 9112 §11.1: response splitting'

function thrown(what: string, source: string, make: () => unknown): ActRow {
  const act = (): never => {
    throw make()
  }
  return { rule: `hides details of ${what} that was thrown`, source, act }
}

const THROWN: Acts = {
  null: thrown('null', ANYTHING, () => null),
  undefined: thrown('undefined', ANYTHING, () => undefined),
  text: thrown('a string', ANYTHING, () => SECRET),
  number: thrown('a number', ANYTHING, () => 404),
  zero: thrown('0', ANYTHING, () => 0),
  symbol: thrown('a symbol', ANYTHING, () => Symbol(SECRET)),
  bigint: thrown('a bigint', ANYTHING, () => 1n),
  function: thrown('a function', ANYTHING, () => () => SECRET),
  array: thrown('an array', ANYTHING, () => [SECRET]),
  error: thrown('an error', NO_DETAIL, () => new Error(SECRET)),
  aggregate: thrown('several errors', NO_DETAIL, () => new AggregateError([new Error(SECRET)], SECRET)),
  abort: thrown('an abort', NO_DETAIL, () => new DOMException(SECRET, 'AbortError')),
  response: thrown('a web response', NO_DETAIL, () => new Response(SECRET, { status: 201 })),
  frozen: thrown('a frozen error', TOUCHED, frozen),
  cyclic: thrown('an error that is its own cause', TOUCHED, cyclic),
  hostile: thrown('an error that throws at every operation', TOUCHED, hostile),
  getters: thrown('an error whose getters throw', TOUCHED, () => new Getters()),
  revoked: thrown('a revoked proxy', TOUCHED, revoked),
  status200: thrown('an object with status 200', OWN_STATUS, () => ({ status: 200, message: SECRET })),
  status404: thrown('an error with status 404', OWN_STATUS, () =>
    Object.assign(new Error(SECRET), { status: 404, statusCode: 404, expose: true }),
  ),
  status999: thrown('an object with status 999', OWN_STATUS, () => ({ status: 999 })),
  'http-error-999': thrown('an HttpError changed to status 999', OUT_OF_RANGE, () =>
    Object.assign(new HttpError(400), { status: 999 }),
  ),
  'http-error-200': thrown('an HttpError changed to status 200', OUT_OF_RANGE, () =>
    Object.assign(new HttpError(400), { status: 200 }),
  ),
  'http-error-text': thrown('an HttpError whose status is a string', OUT_OF_RANGE, () =>
    Object.assign(new HttpError(400), { status: 'x' }),
  ),
  'http-error-header': thrown(
    'an HttpError with a line break in a header',
    SPLIT,
    () => new HttpError(400, SECRET, { headers: { 'x-a': 'a\r\nSet-Cookie: a=b' } }),
  ),
  'http-error-cycle': thrown(
    'an HttpError with a cyclic extension',
    'RFC 8259 §2: JSON has no cycles',
    cyclicExtension,
  ),
}

function cycleThrown(): never {
  throw cyclic()
}

function cycle(): object {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}

function failingFirst(): Readable {
  return Readable.from(
    (async function* () {
      await new Promise(setImmediate)
      if (Date.now() > 0) throw new Error(SECRET)
      yield 'a'
    })(),
  )
}

const NO_JSON = 'RFC 8259 §3: JSON cannot represent it'
const RUN_BY_JSON = 'code of the value runs during serialization'

function formless(what: string, source: string, act: () => unknown): ActRow {
  return { rule: `responds 500 for ${what}, before a byte is sent`, source, act }
}

const FORMLESS: Acts = {
  cycle: formless('a cycle', NO_JSON, cycle),
  bigint: formless('a bigint', NO_JSON, () => ({ n: 1n })),
  symbol: formless('a symbol', NO_JSON, () => Symbol('x')),
  function: formless('a function', NO_JSON, () => () => 1),
  toJSON: formless('a toJSON that throws', RUN_BY_JSON, () => ({
    toJSON() {
      throw new Error(SECRET)
    },
  })),
  getter: formless('a getter that throws', RUN_BY_JSON, () => ({
    get a(): never {
      throw new Error(SECRET)
    },
  })),
  thenable: formless('a "then" that throws', 'code of the value runs while it is awaited', () =>
    Object.defineProperties({}, { [String('then')]: { get: cycleThrown } }),
  ),
  undeclared: formless('an undeclared status', 'Verbena: errors are thrown', () => reply(404, { a: 1 })),
  'failing-first': formless(
    'a stream that fails before its first chunk',
    'RFC 9110 §15.6.1: the headers are not sent yet',
    failingFirst,
  ),
  'response-error': formless('a network error', 'WHATWG Fetch: a network error has no status', () => Response.error()),
}

class Mangled extends Route {
  static readonly get = this.contract({ returns: z.object({ a: z.string() }) })
  get() {
    // Proof: wrong on purpose; the contract must detect the violation.
    return { a: SECRET.length } as unknown as { a: string }
  }
}

describe('responses to hostile values', () => {
  const log = captureLog()
  const routes = {
    Alive,
    Mangled,
    Thrown: actRoute('/thrown', THROWN),
    Formless: actRoute('/formless', FORMLESS),
  }
  const app = createUntypedApp({ routes, logger: log.logger, signals: false })
  let port = 0
  before(async () => {
    ;({ port } = await app.listen())
  })
  after(() => app.close())

  for (const [name, row] of Object.entries(THROWN)) {
    it(formatTitle(row), async () => {
      const before = log.lines.length
      await assertSilent(app, port, `/thrown/${name}`)
      assert.ok(log.lines.slice(before).some(({ level }) => level === 'error'))
    })
  }

  for (const [name, row] of Object.entries(FORMLESS)) {
    it(formatTitle(row), () => assertSilent(app, port, `/formless/${name}`))
  }

  it(formatTitle({ rule: 'responds 500 for a value that violates the contract', source: NO_DETAIL }), () =>
    assertSilent(app, port, '/mangled'),
  )
})
