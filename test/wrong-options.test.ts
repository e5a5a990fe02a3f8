/** Wrong options: every function that has options reports them in one form and with one code. */
import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import * as verbena from 'verbena'
import { createApp, Route, SetupError } from 'verbena'
import { jwtSigner, webhook } from 'verbena/auth'
import { deprecated, log, speed } from 'verbena/decorators'
import { file, files, sendFile } from 'verbena/files'
import { idempotency } from 'verbena/idempotency'
import { memoryLimits, rateLimit } from 'verbena/limits'
import { mount } from 'verbena/mount'
import { multipart, parts } from 'verbena/multipart'
import { postgresIdempotency, postgresLimits, postgresSessions } from 'verbena/postgres'
import { sealedCookie, session, signedCookie } from 'verbena/session'
import { redisIdempotency, redisLimits, redisSessions } from 'verbena/redis'
import { sqliteIdempotency, sqliteLimits, sqliteSessions } from 'verbena/sqlite'
import { testApp } from 'verbena/testing'
import { upgrade } from 'verbena/upgrade'
import { z } from 'zod'

// oxlint-disable-next-line no-explicit-any -- the compiler rejects most of the options
type AnyOptions = any
type Wrong = Readonly<Record<string, unknown>>

interface Row {
  /** As errors name it. */
  readonly owner: string
  readonly use: (options: AnyOptions) => unknown
  /** Valid options, to which a wrong one is added. */
  readonly valid?: object
  /** Wrong values by option. */
  readonly wrong: Wrong
}

const key = createSecretKey(randomBytes(32))
const keys = ['a text of 32 bytes that nobody knows']
const redis = { sendCommand: async () => null }
const pool = { query: async () => ({ rows: [] }) }
const database = { prepare: () => ({ run: () => ({ changes: 0 }), get: () => ({ timeout: 5 }) }), exec: () => null }
const decorate = (use: (options: AnyOptions) => unknown) => use
const user = verbena.bearer(() => true)

class Home extends Route {
  get() {}
}
const routes = { Home }

const TABLES: Wrong = { table: 'A B', create: 1 }
const KINDS: Wrong = { limit: -1, types: [], headers: {} }
const COOKIE: Wrong = { keys: [], schema: 1, lifetime: 0, path: '', domain: ':', sameSite: 'no', insecure: false }

const ROWS: readonly Row[] = [
  {
    owner: 'createApp()',
    use: createApp,
    valid: { routes },
    wrong: {
      ...{ name: 1, services: [], mapError: 1, requestId: 1, logger: 1, accessLog: 1, trailingSlash: 'no' },
      ...{ trustProxy: 1, openapi: 1, metrics: 1, devConsole: 1, signals: 1, cors: 1, compression: 1 },
      ...{ securityHeaders: 1, errorFormat: 1, middleware: 1 },
    },
  },
  { owner: 'listen()', use: (options) => createApp({ routes }).listen(options), wrong: { port: -1, host: 1, tls: 1 } },
  {
    owner: 'attach()',
    use: (options) => createApp({ routes }).attach(createServer(), options),
    wrong: { besides: 1 },
  },
  { owner: 'group()', use: verbena.group, valid: { routes }, wrong: { errors: 1, tags: 1, public: 1, cors: 1 } },
  { owner: 'health()', use: verbena.health, wrong: { timeout: 0, uses: 1 } },
  { owner: 'json()', use: (options) => verbena.json(z.string(), options), wrong: { ...KINDS, raw: 1, project: 1 } },
  { owner: 'form()', use: (options) => verbena.form(z.object({}), options), wrong: { limit: -1, types: [] } },
  { owner: 'text()', use: verbena.text, wrong: KINDS },
  { owner: 'bytes()', use: verbena.bytes, wrong: KINDS },
  { owner: 'stream()', use: verbena.stream, wrong: KINDS },
  { owner: 'events()', use: (options) => verbena.events(z.string(), options), wrong: { heartbeat: 0, project: 1 } },
  { owner: 'file()', use: file, wrong: { types: [], headers: 1 } },
  { owner: 'multipart()', use: multipart, wrong: { files: 1, limit: -1, total: -1, folder: '', memory: -1 } },
  {
    owner: 'mount()',
    use: (options) => mount(() => new Response(), options),
    wrong: { limit: -1, types: [], timeout: -1, public: 1 },
  },
  { owner: 'parts()', use: parts, wrong: { limit: -1, total: 1.5 } },
  { owner: 'cursor()', use: (options) => verbena.cursor(z.string(), options), wrong: { limit: 0, most: 0, query: 1 } },
  {
    owner: 'files()',
    use: (options) => files('docs', options),
    wrong: { index: 1, fallback: '', maxAge: -1, public: 1 },
  },
  {
    owner: 'sendFile()',
    use: (options) => sendFile('a', options),
    wrong: { root: 1, type: 1, download: '', dotfiles: 1 },
  },
  { owner: 'cacheControl()', use: verbena.cacheControl, wrong: { public: 1, maxAge: -1, immutable: 'yes' } },
  {
    owner: 'precondition()',
    use: (options) => verbena.precondition({}, () => 1, options),
    wrong: { required: 1 },
  },
  {
    owner: 'provide()',
    use: (needs) => verbena.provide(needs, () => 1),
    wrong: { query: 1, rawBody: false, guard: 1, errors: 1, security: 1 },
  },
  { owner: 'provide()', use: (options) => verbena.provide({}, () => 1, options), wrong: { ends: 'never' } },
  { owner: 'service()', use: (options) => verbena.service(() => 1, options), wrong: { close: 1, check: 1 } },
  {
    owner: 'upgrade()',
    use: (needs) => upgrade(needs, () => {}),
    wrong: { path: 1, protocol: 'a b' },
  },
  {
    owner: 'bearer()',
    use: (options) => verbena.bearer(() => 1, options),
    wrong: { scheme: '', realm: 1, format: 'é' },
  },
  { owner: 'basic()', use: (options) => verbena.basic({ ada: 'b' }, options), wrong: { realm: '' } },
  {
    owner: 'apiKey()',
    use: (place) => verbena.apiKey(place, () => 1),
    valid: { in: 'header', name: 'x-key' },
    wrong: { in: 'body', name: 1 },
  },
  { owner: 'optional()', use: (options) => verbena.optional(user, options), wrong: { invalid: 'no' } },
  {
    owner: 'jwt()',
    use: verbena.jwt,
    valid: { algorithms: ['HS256'], keys: key },
    wrong: { algorithms: [], issuer: 1, audience: [], leeway: -1, expiry: 'no', type: '', now: 1 },
  },
  {
    owner: 'jwtSigner()',
    use: jwtSigner,
    valid: { algorithm: 'HS256', key, expiresIn: 60 },
    wrong: { algorithm: 'none', expiresIn: 0, issuer: 1, audience: [], keyId: '', type: '', now: 1 },
  },
  {
    owner: 'webhook()',
    use: webhook,
    valid: { secrets: [`whsec_${randomBytes(32).toString('base64')}`] },
    wrong: { secrets: [], headers: 'no', tolerance: 0, now: 1 },
  },
  {
    owner: 'session()',
    use: session,
    valid: { keys },
    wrong: { keys: [], schema: 1, store: {}, cookie: 1, idle: 0, absolute: 0 },
  },
  { owner: 'signedCookie()', use: (options) => signedCookie('a', options), valid: { keys }, wrong: COOKIE },
  { owner: 'sealedCookie()', use: (options) => sealedCookie('a', options), valid: { keys }, wrong: COOKIE },
  { owner: 'redisSessions()', use: (options) => redisSessions(redis, options), wrong: { prefix: 1 } },
  {
    owner: 'rateLimit()',
    use: rateLimit,
    valid: { by: () => 1, limit: 1, window: 1 },
    wrong: { by: 1, limit: 0, window: -1, cost: -1, name: '', store: {}, whenDown: 'no' },
  },
  { owner: 'memoryLimits()', use: memoryLimits, wrong: { keys: 0 } },
  { owner: 'redisLimits()', use: (options) => redisLimits(redis, options), wrong: { prefix: 1 } },
  {
    owner: 'idempotency()',
    use: idempotency,
    valid: { by: () => 'a', ttl: 1 },
    wrong: { by: 1, ttl: 0, lease: 1, within: 1, store: {}, required: 1 },
  },
  { owner: 'redisIdempotency()', use: (options) => redisIdempotency(redis, options), wrong: { prefix: '' } },
  { owner: 'postgresSessions()', use: (options) => postgresSessions(pool, options), wrong: TABLES },
  { owner: 'postgresIdempotency()', use: (options) => postgresIdempotency(pool, options), wrong: TABLES },
  { owner: 'postgresLimits()', use: (options) => postgresLimits(pool, options), wrong: TABLES },
  { owner: 'sqliteSessions()', use: (options) => sqliteSessions(database, options), wrong: TABLES },
  {
    owner: 'sqliteIdempotency()',
    use: (options) => sqliteIdempotency(database, options),
    wrong: { ...TABLES, responses: {} },
  },
  { owner: 'sqliteLimits()', use: (options) => sqliteLimits(database, options), wrong: TABLES },
  { owner: '@log', use: decorate(log), wrong: { level: 'loud', args: 1, result: 1 } },
  { owner: '@speed', use: decorate(speed), wrong: { slow: -1 } },
  { owner: '@deprecated', use: decorate(deprecated), wrong: { since: 1, sunset: 'soon', link: '' } },
  { owner: 'testApp()', use: (options) => testApp(createApp({ routes }), options), wrong: { ip: '1' } },
]

async function messageOf(use: () => unknown): Promise<string> {
  try {
    await use()
  } catch (error) {
    assert.ok(error instanceof SetupError, String(error))
    assert.equal(error.code, 'OPTION_INVALID', error.message)
    return error.message
  }
  return assert.fail('the options are accepted')
}

/** The start of a message, as a pattern. */
function start(owner: string, text: string): string {
  return `^Cannot use ${text} of ${owner.replace(/[()]/g, '\\$&')}: `
}

for (const { owner, use, valid = {}, wrong } of ROWS) {
  describe(`wrong options of ${owner}`, () => {
    it('reports options that are not an object', async () => {
      const message = await messageOf(() => use(7))
      assert.match(
        message,
        new RegExp(`${start(owner, 'the options')}they must be an object, not 7\\. Write "\\{ .+ \\}"$`),
      )
    })

    it('reports an unknown option with a suggestion and all options', async () => {
      const [name = ''] = Object.keys(wrong)
      const message = await messageOf(() => use({ ...valid, [`${name}x`]: 1 }))
      const known = `it is unknown\\. Did you mean "${name}"\\? Valid options are .*\\b${name}\\b.*$`
      assert.match(message, new RegExp(`${start(owner, `the option "${name}x"`)}${known}`))
    })

    it('reports a wrong value with the valid values and an example', async () => {
      for (const [name, value] of Object.entries(wrong)) {
        const message = await messageOf(() => use({ ...valid, [name]: value }))
        const state = `it must .+, not .+\\. Write "${name}: .+"$`
        assert.match(message, new RegExp(`${start(owner, `the option "${name}"`)}${state}`))
      }
    })

    it('reports each required option that is missing', async () => {
      for (const name of Object.keys(valid)) {
        const message = await messageOf(() => use({ ...valid, [name]: undefined }))
        assert.match(
          message,
          new RegExp(`${start(owner, `the option "${name}"`)}it is missing\\. Write "${name}: .+"$`),
        )
      }
    })
  })
}
