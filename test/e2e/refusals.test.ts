/** What middleware, `mapError`, the log and subscribers get for each status with which Verbena or a route rejects a request. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, beforeEach, describe, it } from 'node:test'
import { provide, HttpError, Route, type App, type Input, type MiddlewareContext, type Reply } from 'verbena'
import { deprecated, version } from 'verbena/decorators'
import { captureLog, createUntypedApp } from '#test/apps.js'
import { Wire } from '#test/e2e.js'
import * as z from 'zod'

const denied = provide({ errors: [403] }, () => false)
const unknown = provide({ security: { type: 'http', scheme: 'bearer' } }, () => false)

class Notes extends Route {
  static readonly path = '/notes/{id}'
  static readonly get = this.contract({ query: z.object({ n: z.coerce.number().optional() }), returns: z.string() })
  get() {
    return 'note'
  }
  static readonly post = this.contract({ body: z.object({ text: z.string() }) })
  post({ body }: Input<typeof Notes.post>) {
    return body
  }
}
class Files extends Route {
  static readonly path = '/files/{path...}'
  get() {
    return 'file'
  }
}
class Versioned extends Route {
  @version('>=2')
  get() {
    return 'two'
  }
}
class Withdrawn extends Route {
  @deprecated({ sunset: '2020-01-01' })
  get() {}
}
class Denied extends Route {
  static readonly get = this.contract({ uses: { denied } })
  get() {}
}
class Unknown extends Route {
  static readonly get = this.contract({ uses: { unknown } })
  get() {}
}
class Slow extends Route {
  static readonly get = this.contract({ timeout: 20 })
  async get({ signal }: Input<typeof Slow.get>) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
}
class Thrown extends Route {
  static readonly path = '/thrown/{status}'
  get({ params }: { params: { status: string } }) {
    throw params.status === 'error' ? new Error('broken') : new HttpError(Number(params.status), 'thrown')
  }
}
class Wrong extends Route {
  static readonly get = this.contract({ returns: z.number() })
  get(): number {
    return JSON.parse('"text"')
  }
}

interface Seen {
  /** `reply.error` in middleware, as its status or its name. */
  readonly middleware: unknown[]
  readonly mapError: unknown[]
  readonly log: string[]
  /** Status and error of the event at the end of a request. */
  readonly ends: unknown[]
  readonly errors: unknown[]
}

let seen: Seen
let app: App
let port: number
const { logger, lines } = captureLog()

function describeError(error: unknown): unknown {
  if (error instanceof HttpError) return `${error.status} ${error.source}`
  return error instanceof Error ? error.name : error
}

const observe = async ({ endpoint }: MiddlewareContext, next: () => Promise<Reply>): Promise<Reply> => {
  const reply = await next()
  seen.middleware.push([reply.status, describeError(reply.error), endpoint?.route])
  return reply
}
const onEnd = (event: unknown): void => {
  const { status, error } = Object(event)
  seen.ends.push([status, describeError(error)])
}
const onError = (event: unknown): void => void seen.errors.push(describeError(Object(event).error))

type Case = readonly [what: string, request: string, status: number, error: unknown, more?: Partial<Seen>]

const JSON_TYPE = 'Content-Type: application/json\r\n'
const HOST = 'Host: a\r\n'
const many = 'X-Many: 1\r\n'.repeat(12)

/** By default, middleware, `mapError` and the event `end` get the error, and nothing is logged. */
const CASES: readonly Case[] = [
  ['a malformed target', `GET /%zz HTTP/1.1\r\n${HOST}\r\n`, 400, '400 framework'],
  ['a request without Host', 'GET /notes/1 HTTP/1.1\r\n\r\n', 400, '400 framework'],
  ['an encoded slash in a wildcard', `GET /files/a%2Fb HTTP/1.1\r\n${HOST}\r\n`, 400, '400 framework'],
  ['malformed JSON', `POST /notes/1 HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: 1\r\n\r\n{`, 400, '400 framework'],
  ['a missing body', `POST /notes/1 HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`, 400, '400 framework'],
  ['missing credentials', `GET /unknown HTTP/1.1\r\n${HOST}\r\n`, 401, '401 framework'],
  ['a denied client', `GET /denied HTTP/1.1\r\n${HOST}\r\n`, 403, '403 framework'],
  ['an unknown path', `GET /none HTTP/1.1\r\n${HOST}\r\n`, 404, '404 framework'],
  ['another verb', `DELETE /notes/1 HTTP/1.1\r\n${HOST}\r\n`, 405, '405 framework'],
  ['an unsupported version', `GET /versioned HTTP/1.1\r\n${HOST}Accept-Version: 1\r\n\r\n`, 406, '406 framework'],
  ['an unacceptable type', `GET /notes/1 HTTP/1.1\r\n${HOST}Accept: text/html\r\n\r\n`, 406, '406 framework'],
  ['a thrown 409', `GET /thrown/409 HTTP/1.1\r\n${HOST}\r\n`, 409, '409 handler'],
  ['a withdrawn endpoint', `GET /withdrawn HTTP/1.1\r\n${HOST}\r\n`, 410, '410 framework'],
  ['a large body', `POST /notes/1 HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: 30\r\n\r\n`, 413, '413 framework'],
  ['a long target', `GET /${'a'.repeat(100)} HTTP/1.1\r\n${HOST}\r\n`, 414, '414 framework'],
  ['another media type', `POST /notes/1 HTTP/1.1\r\n${HOST}Content-Length: 1\r\n\r\na`, 415, '415 framework'],
  ['an unknown expectation', `GET /notes/1 HTTP/1.1\r\n${HOST}Expect: b\r\n\r\n`, 417, '417 framework'],
  ['an invalid query', `GET /notes/1?n=a HTTP/1.1\r\n${HOST}\r\n`, 422, '422 framework'],
  ['an invalid body', `POST /notes/1 HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: 2\r\n\r\n{}`, 422, '422 framework'],
  ['too many headers', `GET /notes/1 HTTP/1.1\r\n${HOST}${many}\r\n`, 431, '431 framework'],
  [
    'a thrown error',
    `GET /thrown/error HTTP/1.1\r\n${HOST}\r\n`,
    500,
    'Error',
    { log: ['error The request failed unexpectedly'], errors: ['Error'] },
  ],
  [
    'a broken contract',
    `GET /wrong HTTP/1.1\r\n${HOST}\r\n`,
    500,
    'ContractBreach',
    { log: ['error The request failed unexpectedly'], errors: ['ContractBreach'] },
  ],
  ['another method', `PROPFIND /notes/1 HTTP/1.1\r\n${HOST}\r\n`, 501, '501 framework'],
  [
    'a thrown 501',
    `GET /thrown/501 HTTP/1.1\r\n${HOST}\r\n`,
    501,
    '501 handler',
    { log: ['error The request failed'], errors: ['501 handler'] },
  ],
  [
    'a timeout',
    `GET /slow HTTP/1.1\r\n${HOST}\r\n`,
    503,
    '503 framework',
    { log: ['error The request failed', 'warn Late response discarded'], errors: ['503 framework'] },
  ],
  ['another version of HTTP', `GET /notes/1 HTTP/2.0\r\n${HOST}\r\n`, 505, '505 framework'],
]

describe('a rejected request', () => {
  before(async () => {
    app = createUntypedApp({
      routes: { Notes, Files, Versioned, Withdrawn, Denied, Unknown, Slow, Thrown, Wrong },
      version: '1.0.0',
      middleware: [observe],
      mapError: (error: unknown) => void seen.mapError.push(describeError(error)),
      limits: { body: 20, url: 100, headers: 10 },
      logger,
      signals: false,
      devConsole: false,
    })
    port = (await app.listen()).port
    subscribe('verbena:request:end', onEnd)
    subscribe('verbena:request:error', onError)
  })
  after(async () => {
    unsubscribe('verbena:request:end', onEnd)
    unsubscribe('verbena:request:error', onError)
    await app.close()
  })
  beforeEach(() => {
    seen = { middleware: [], mapError: [], log: [], ends: [], errors: [] }
    lines.length = 0
  })

  for (const [what, request, status, error, more] of CASES) {
    it(`shows ${status} for ${what} to middleware, mapError, the log and subscribers`, async () => {
      const wire = new Wire(port)
      wire.send(request)
      assert.equal((await wire.read()).status, status)
      wire.destroy()
      seen.log.push(...lines.map(({ level, message }) => `${level} ${message}`))
      const [[middlewareStatus, middlewareError] = []] = seen.middleware as unknown[][]
      const expected = { mapError: [error], log: [], ends: [[status, error]], errors: [], ...more }
      const { middleware: _, ...others } = seen
      assert.deepEqual([middlewareStatus, middlewareError], [status, error])
      assert.deepEqual(others, expected)
    })
  }
})
