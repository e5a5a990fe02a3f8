/** Headers that Verbena adds to every kind of response, once, even if the author sets them, and with or without the console. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, HttpError, redirect, reply, Route, type Middleware, type ResponseView } from 'verbena'
import { deprecated, speed, version } from 'verbena/decorators'

const ended = deprecated({ since: '2026-01-31', link: '/news' })
const withdrawn = deprecated({ since: '2026-01-31', sunset: '2026-02-01' })

class All extends Route {
  static readonly decorators = [version('2.x'), speed, ended]
}

class Value extends All {
  get() {
    return 'ok'
  }
}

class Nothing extends All {
  get() {}
}

class Unchanged extends All {
  get() {
    return new Response(null, { status: 304 })
  }
}

class Moved extends All {
  get() {
    return redirect('/value')
  }
}

class Failed extends All {
  get() {
    throw new HttpError(409)
  }
}

class Broken extends All {
  get() {
    throw new TypeError('no')
  }
}

class Streamed extends All {
  async *get() {
    yield 'one'
  }
}

class After extends All {
  get({ response }: { response: ResponseView }) {
    response.after(() => {})
    return 'ok'
  }
}

class Told extends All {
  get({ response }: { response: ResponseView }) {
    response.header('api-version', '9')
    response.header('vary', 'Origin, Accept-Version')
    response.header('server-timing', 'db;dur=1')
    response.header('link', '</next>; rel="next"')
    response.header('deprecation', '?1')
    return 'ok'
  }
}

const own: Middleware = async () => reply(201, 'made')
const without: Middleware = async (_context, next) => {
  const { status, body } = await next()
  return reply(status, body)
}

class Made extends All {
  static readonly middleware = [own]
  get() {}
}

class Lost extends All {
  static readonly middleware = [without]
  get() {
    return 'ok'
  }
}

class Mixed extends Route {
  @version('2.x') get() {
    return 'ok'
  }
  @speed post() {
    return 'ok'
  }
  put() {}
}

class Timed extends Route {
  @speed get() {
    return 'ok'
  }
}

class Ended extends Route {
  @ended get() {
    return 'ok'
  }
}

class Gone extends Route {
  @version('2.x') @withdrawn get() {}
}

class Plain extends Route {
  get() {
    return 'ok'
  }
}

const routes = {
  ...{ Value, Nothing, Unchanged, Moved, Failed, Broken, Streamed, After, Told, Made, Lost },
  ...{ Mixed, Timed, Ended, Gone, Plain },
}

/** `Vary`, `API-Version`, `Server-Timing` without its figures, `Deprecation`, `Link`. */
type Shown = readonly (string | null)[]

const NONE: Shown = [null, null, null, null, null]
const NEWS = '</news>; rel="deprecation"'
const SINCE = '@1769817600'
const EVERY: Shown = ['accept-version', '2.0.0', 'app', SINCE, NEWS]
const VARY: Shown = ['accept-version', null, null, null, null]

const ROWS: readonly (readonly [target: string, status: number, shown: Shown, asked?: string])[] = [
  ['GET /value', 200, EVERY],
  ['HEAD /value', 200, EVERY],
  ['GET /nothing', 204, EVERY],
  ['GET /unchanged', 304, EVERY],
  ['GET /moved', 302, EVERY],
  ['GET /failed', 409, EVERY],
  ['GET /broken', 500, EVERY],
  ['GET /streamed', 200, EVERY],
  ['HEAD /streamed', 200, EVERY],
  ['GET /after', 200, EVERY],
  ['GET /told', 200, ['Origin, Accept-Version', '2.0.0', 'db, app', SINCE, `</next>; rel="next", ${NEWS}`]],
  ['GET /made', 201, EVERY],
  ['GET /lost', 200, EVERY],
  ['GET /value', 200, ['accept-version', '2.1.0', 'app', SINCE, NEWS], '2.1'],
  ['GET /value', 406, VARY, '3'],
  ['GET /value', 400, VARY, 'new'],
  ['OPTIONS /value', 204, VARY],
  ['POST /value', 405, VARY],
  ['GET /mixed', 200, ['accept-version', '2.0.0', null, null, null]],
  ['POST /mixed', 200, ['accept-version', null, 'app', null, null]],
  ['PUT /mixed', 204, VARY],
  ['PUT /mixed', 204, VARY, '3'],
  ['GET /timed', 200, [null, null, 'app', null, null]],
  ['GET /ended', 200, [null, null, null, SINCE, NEWS]],
  ['GET /gone', 410, ['accept-version', '2.0.0', null, SINCE, null]],
  ['GET /plain', 200, NONE],
  ['OPTIONS /timed', 204, NONE],
  ['GET /nowhere', 404, NONE],
]

async function shownOf(response: Response): Promise<readonly [number, Shown]> {
  await response.arrayBuffer()
  const { status, headers } = response
  const timing = headers.get('server-timing')?.replaceAll(/;dur=[\d.]+/g, '') ?? null
  const [deprecation, link] = [headers.get('deprecation'), headers.get('link')]
  return [status, [headers.get('vary'), headers.get('api-version'), timing, deprecation, link]]
}

function appWith(devConsole: boolean) {
  return createApp({ version: '2.0.0', routes, logger: false, devConsole })
}

type Ask = (target: string, init: RequestInit) => Promise<Response>

async function check(ask: Ask): Promise<void> {
  for (const [target, status, shown, asked] of ROWS) {
    const [method = '', path = ''] = target.split(' ')
    const headers: Record<string, string> = asked === undefined ? {} : { 'accept-version': asked }
    const response = await ask(path, { method, headers, redirect: 'manual' })
    assert.deepEqual(await shownOf(response), [status, shown], `${target} ${asked ?? ''}`)
  }
}

describe('framework headers', () => {
  it('adds framework headers to every response of app.fetch', async () => {
    const app = appWith(false)
    await check((path, init) => app.fetch(new Request(`http://localhost${path}`, init)))
  })

  for (const devConsole of [false, true]) {
    it(`adds framework headers to every response over a socket, with the console ${devConsole ? 'on' : 'off'}`, async () => {
      await using app = appWith(devConsole)
      const { url } = await app.listen()
      await check((path, init) => fetch(url + path, init))
    })
  }
})
