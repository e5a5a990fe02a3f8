// own process: it loads a second copy of Verbena
/** Two copies of Verbena in a process: a linked package, another version, a bundle with Verbena in it, modules that a test has reset. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bearer, createApp, HttpError, optional, provide, Route } from 'verbena'
import type { decorator, group, Input, Middleware } from 'verbena'
import { log } from 'verbena/decorators'
import { invoke, override, testApp } from 'verbena/testing'
import { createUntypedApp } from '#test/apps.js'

/** The public API of the second copy. */
interface Copy {
  readonly createApp: typeof createApp
  readonly decorator: typeof decorator
  readonly group: typeof group
  readonly HttpError: typeof HttpError
  readonly override: typeof override
  readonly provide: typeof provide
  readonly Route: typeof Route
}

let folder = ''
let copy: Copy

before(async () => {
  mkdirSync('.cache', { recursive: true })
  folder = await mkdtemp(join('.cache', 'copy of verbena-'))
  const outfile = join(folder, 'verbena.mjs')
  const [main, testing] = ['verbena', 'verbena/testing'].map((name) => new URL(import.meta.resolve(name)).pathname)
  const contents = `export * from ${JSON.stringify(main)}\nexport * from ${JSON.stringify(testing)}`
  await build({
    ...{ stdin: { contents, resolveDir: '.' }, outfile, bundle: true, format: 'esm', platform: 'node' },
    ...{ target: 'es2022', logLevel: 'error' },
  })
  copy = await import(pathToFileURL(outfile).href)
})
after(() => rm(folder, { recursive: true, force: true }))

interface Line {
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

function recordingLogger(lines: Line[]) {
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields: { ...fields } })
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

/** Sends a request to a route that throws a value, and returns the response and the lines of its failure. */
async function throwing(thrown: unknown, options: object = {}) {
  class Home extends Route {
    get() {
      throw thrown
    }
  }
  const lines: Line[] = []
  const app = createUntypedApp({ routes: { Home }, logger: recordingLogger(lines), devConsole: false, ...options })
  const response = await app.fetch(new Request('http://localhost/home'))
  const { requestId: _, ...problem }: Record<string, unknown> = JSON.parse(await response.text())
  return { response, problem, errors: lines.filter(({ level }) => level === 'error') }
}

/** An object with the mark of an `HttpError` of another copy. */
function marked(members: object, mark: object = {}): object {
  const brand = Symbol.for('verbena.mark')
  const valid = { status: 409, detail: 'Taken', headers: {}, extensions: {} }
  const value = { kind: 'an HttpError', version: 1, folder: '/other/verbena', ...mark }
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors({ ...valid, [brand]: value }),
      ...Object.getOwnPropertyDescriptors(members),
    },
  )
}

describe('an HttpError of another copy', () => {
  it('is sent with its status, detail, type, headers and extensions', async () => {
    const type = 'https://errors.example/taken'
    const error = new copy.HttpError(409, 'Name taken', { type, headers: { 'retry-after': '7' }, name: 'ada' })
    assert.equal(error instanceof HttpError, false)
    const { response, problem, errors } = await throwing(error)
    assert.equal(response.status, 409)
    assert.equal(response.headers.get('retry-after'), '7')
    assert.deepEqual(problem, { type, title: 'Conflict', status: 409, detail: 'Name taken', name: 'ada' })
    assert.deepEqual(errors, [])
  })

  it('is sent and logged once if it is a 5xx', async () => {
    const error = new copy.HttpError(503)
    const { problem, errors } = await throwing(error)
    assert.deepEqual(problem, { type: 'about:blank', title: 'Service Unavailable', status: 503 })
    assert.deepEqual(
      errors.map(({ message, fields }) => [message, fields['err']]),
      [['The request failed', error]],
    )
  })

  it('can be returned by mapError, and 500 does not replace it', async () => {
    const mapped = await throwing(new Error('x'), { mapError: () => new copy.HttpError(418, 'Tea') })
    assert.deepEqual([mapped.response.status, mapped.problem['detail']], [418, 'Tea'])
    const thrown = new copy.HttpError(404, 'Gone home')
    const unreplaced = await throwing(thrown, { mapError: () => new HttpError(500) })
    assert.equal(unreplaced.problem['detail'], 'Gone home')
  })

  it('works in providers, guards, cleanup and middleware', async () => {
    const early: Middleware = (context, next) => {
      if (context.request.headers['x-early'] !== undefined) throw new copy.HttpError(429, 'Early')
      return next()
    }
    const user = bearer(() => {
      throw new copy.HttpError(401, 'Not you')
    })
    const cleaned = provide({}, function* () {
      try {
        yield 1
      } catch {
        throw new copy.HttpError(410, 'Late')
      }
    })
    class Open extends Route {
      static readonly get = this.contract({ uses: { user: optional(user, { invalid: 'ignore' }) } })
      get({ user }: Input<typeof Open.get>) {
        return user ?? 'nobody'
      }
    }
    class Guarded extends Route {
      static readonly get = this.contract({ uses: { user } })
      get() {}
    }
    class Cleaned extends Route {
      static readonly get = this.contract({ uses: { cleaned } })
      get() {
        throw new Error('first')
      }
    }
    const app = createApp({ routes: { Open, Guarded, Cleaned }, middleware: [early], logger: false })
    const send = async (path: string, headers: Record<string, string> = { authorization: 'Bearer x' }) => {
      const response = await app.fetch(new Request(`http://localhost${path}`, { headers }))
      return [response.status, (await response.text()).match(/"detail":"[^"]*"|nobody/)?.[0]]
    }
    assert.deepEqual(await send('/open'), [200, 'nobody'])
    assert.deepEqual(await send('/guarded'), [401, '"detail":"Not you"'])
    assert.deepEqual(await send('/cleaned'), [410, '"detail":"Late"'])
    assert.deepEqual(await send('/open', { 'x-early': '1' }), [429, '"detail":"Early"'])
  })

  it('is checked against the schema of its status', async () => {
    class Home extends Route {
      static readonly get = this.contract({ errors: [409] })
      get() {
        throw new copy.HttpError(409, 'Taken')
      }
    }
    await using test = await testApp(createApp({ routes: { Home }, logger: false }))
    assert.equal((await test.fetch('/home')).status, 409)
  })

  it('is read once', async () => {
    const reads: string[] = []
    const readOnce = <T>(name: string, value: T): T => {
      reads.push(name)
      return value
    }
    const error = marked({
      get status() {
        return readOnce('status', reads.includes('status') ? 200 : 410)
      },
      get detail() {
        return readOnce('detail', 'Gone')
      },
      get headers() {
        return readOnce('headers', {})
      },
      get extensions() {
        return readOnce('extensions', {})
      },
    })
    const { response, problem } = await throwing(error)
    assert.deepEqual([response.status, problem['detail']], [410, 'Gone'])
    assert.deepEqual(reads.toSorted(), ['detail', 'extensions', 'headers', 'status'])
  })

  const INVALID: readonly (readonly [about: string, members: object, mark?: object])[] = [
    ['a status below 400', { status: 200 }],
    ['a status above 599', { status: 600 }],
    ['a status as a string', { status: '409' }],
    ['a detail that is not a string', { detail: { secret: 1 } }],
    ['a type that is not a string', { type: 7 }],
    ['headers that are not an object', { headers: null }],
    ['a header that is not a string', { headers: { 'retry-after': 7 } }],
    ['extensions that are not an object', { extensions: ['a'] }],
    [
      'a getter that throws',
      {
        get status() {
          throw new Error('no status')
        },
      },
    ],
    ['members of a later version', {}, { version: 2 }],
    ['another kind of value', {}, { kind: 'an app' }],
  ]
  for (const [about, members, mark] of INVALID) {
    it(`is a 500 with both folders in the log: ${about}`, async () => {
      const { response, problem, errors } = await throwing(marked(members, mark))
      assert.equal(response.status, 500)
      assert.deepEqual(problem, { type: 'about:blank', title: 'Internal Server Error', status: 500 })
      const [line, ...others] = errors
      assert.deepEqual(others, [])
      assert.match(
        line?.message ?? '',
        /another copy of Verbena, in "\/other\/verbena" instead of "\/.+"\. Use one copy: /,
      )
    })
  }

  for (const [about, thrown] of [
    ['without a mark', { status: 409, detail: 'Taken', headers: {}, extensions: {} }],
    ['with an incomplete mark', marked({}, { version: '1' })],
    ['with a mark that is a string', { status: 409, [Symbol.for('verbena.mark')]: 'an HttpError' }],
  ] as const) {
    it(`needs a mark: rejects an object ${about}`, async () => {
      const { response, errors } = await throwing(thrown)
      assert.equal(response.status, 500)
      assert.deepEqual(
        errors.map(({ message }) => message),
        ['The request failed unexpectedly'],
      )
    })
  }
})

describe('other values of another copy', () => {
  /** Matches the message: kind of value, folder of the other copy, folder of this copy, and the fix. */
  const isForeign = (code: string, kind: string) => (error: unknown) => {
    const { code: actual, message }: Record<string, unknown> = { ...Object(error), message: Object(error).message }
    assert.equal(actual, code)
    assert.ok(
      String(message).includes(`${kind} of another copy of Verbena, in "${resolve(folder)}" instead of "`),
      String(message),
    )
    assert.match(String(message), /Use one copy: "npm ls verbena"/)
    return true
  }

  it('names both folders in setup errors', () => {
    class Foreign extends copy.Route {
      get() {}
    }
    const foreignUser = copy.provide({}, () => 1)
    const foreignLog = copy.decorator(() => ({}))
    class Home extends Route {
      get() {}
    }
    const routes = (value: object) => () => createUntypedApp({ routes: { Home, value } })
    assert.throws(routes(Foreign), isForeign('ROUTE_INVALID', 'a route class'))
    assert.throws(() => createUntypedApp({ routes: [Foreign] }), isForeign('ROUTE_INVALID', 'a route class'))
    assert.throws(routes(copy.group({ routes: { Foreign } })), isForeign('ROUTE_INVALID', 'a group'))
    const contracted = (contract: object) => () =>
      createUntypedApp({ routes: { Home: Object.assign(class extends Home {}, contract) } })
    assert.throws(contracted({ uses: { user: foreignUser } }), isForeign('USES_INVALID', 'a provider'))
    assert.throws(contracted({ decorators: [log, foreignLog] }), isForeign('DECORATOR_INVALID', 'a decorator'))
    assert.throws(() => override(foreignUser, () => 1), isForeign('TEST_INVALID', 'a provider'))
  })

  it('names both folders in errors of test tools', async () => {
    class Foreign extends copy.Route {
      get() {}
    }
    class Home extends Route {
      get() {}
    }
    const foreignApp = copy.createApp({ routes: { Foreign }, logger: false })
    await assert.rejects(async () => testApp(foreignApp), isForeign('TEST_INVALID', 'an app'))
    await assert.rejects(invoke(Foreign, 'get'), isForeign('TEST_INVALID', 'a route class'))
    const foreignOverride = copy.override(
      copy.provide({}, () => 1),
      () => 2,
    )
    const app = createApp({ routes: { Home }, logger: false })
    await assert.rejects(
      async () => testApp(app, { override: [foreignOverride] }),
      isForeign('TEST_INVALID', 'a provider'),
    )
  })
})
