// own process: it changes environment variables, because proofs refuse to run in production
/** `authorization` of endpoints that are not plain methods, and of guards that use services and other providers. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { listFindings, MatrixFile } from '#test/proof.js'
import {
  bearer,
  createApp,
  group,
  health,
  HttpError,
  provide,
  reply,
  Route,
  service,
  type Middleware,
  type Result,
} from 'verbena'
import { signWebhook, webhook } from 'verbena/auth'
import { version } from 'verbena/decorators'
import { files } from 'verbena/files'
import { idempotency } from 'verbena/idempotency'
import { mount } from 'verbena/mount'
import { upgrade } from 'verbena/upgrade'
import * as z from 'zod'

const user = bearer((token) => token === 't-ada')
const ACTORS = { ada: { bearer: 't-ada' }, nobody: {} }

function notRun(): never {
  assert.fail('a step after the guards ran')
}

describe('authorization(): kinds of endpoints', () => {
  it('calls inherited guards, versions, groups, fallbacks, files, mounted handlers and built-in endpoints', async () => {
    using file = new MatrixFile()
    const directory = mkdtempSync(join(tmpdir(), 'files-'))
    writeFileSync(join(directory, 'index.html'), 'secret')
    class Base extends Route {
      static readonly uses = { user }
    }
    class Reports extends Base {
      @version('<2')
      async get() {
        notRun()
      }
    }
    class ReportsNow extends Route {
      static readonly path = '/reports'
      @version('>=2')
      async get() {
        notRun()
      }
    }
    class Rest extends Route {
      static readonly path = '/{rest...}'
      static readonly fallback = true
      async get() {
        notRun()
      }
    }
    const app = createApp({
      routes: {
        Reports,
        ReportsNow,
        Rest,
        Health: health(),
        '/auth': mount(notRun),
        '/private': group({ uses: { user }, routes: { '/auth': mount(notRun), '/files': files(directory) } }),
      },
      metrics: { path: '/metrics', uses: { user } },
    })
    await file.update(app, { actors: ACTORS })
    rmSync(directory, { recursive: true })
    assert.deepEqual(file.rows, [
      'reached  reached  * /auth/{path...} (mounted handler)',
      'reached  reached  GET /livez (health)',
      'reached  401      GET /metrics (metrics)',
      'reached  reached  GET /openapi.json (document)',
      'reached  401      * /private/auth/{path...} (mounted handler)',
      'reached  401      GET /private/files (files)',
      'reached  401      GET /private/files/{path...} (files)',
      'reached  reached  GET /readyz (health)',
      'reached  401      GET /reports (versions <2)',
      'reached  reached  GET /reports (versions >=2)',
      'reached  reached  GET /{rest...} (fallback)',
    ])
  })

  it('calls upgrades, whose handlers do not run', async () => {
    using file = new MatrixFile()
    class Rooms extends Route {
      static readonly path = '/rooms/{room}'
      async get() {
        notRun()
      }
    }
    const app = createApp({
      routes: {
        Rooms,
        '/rooms': upgrade({ path: '/{room}', uses: { user }, params: z.object({ room: z.uuid() }) }, notRun),
        '/open': upgrade({}, notRun),
      },
      openapi: false,
    })
    const { denials } = await file.update(app, { actors: ACTORS })
    assert.deepEqual(file.rows, [
      'reached  reached  GET /open (upgrade websocket)',
      'reached  reached  GET /rooms/{room}',
      'reached  401      GET /rooms/{room} (upgrade websocket)',
    ])
    assert.equal(denials.tried, 7)
  })

  it('reads the body only for a provider that verifies its bytes, and looks up no idempotency key', async () => {
    using file = new MatrixFile()
    const event = webhook({ secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] })
    const by = provide({}, () => 'all')
    const once = idempotency({ by: ({ by }) => by, uses: { by }, ttl: 60_000, required: true })
    class Events extends Route {
      static readonly post = this.contract({ uses: { event }, idempotency: once, returns: z.object({}) })
      async post(): Result<typeof Events.post> {
        return notRun()
      }
    }
    const app = createApp({ routes: { Events }, openapi: false })
    const body = '{"type":"paid"}'
    const sign = (secret: string): Record<string, string> => ({
      ...signWebhook({ id: 'msg_1', timestamp: new Date(), body, secret }),
    })
    const actors = {
      sender: { headers: sign('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') },
      stranger: { headers: sign('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA') },
    }
    await file.update(app, { actors, examples: { 'POST /events': { body, headers: { 'idempotency-key': '"a"' } } } })
    assert.deepEqual(file.rows, ['reached  401       POST /events'])
  })

  it('runs services and generators of guards, ends them, and reports the calls of services', async () => {
    using file = new MatrixFile()
    const ended: string[] = []
    const users = { find: async (token: string) => (token === 't-ada' ? { name: 'ada' } : null), list: notRun }
    interface Services {
      readonly users: { find(token: string): Promise<{ name: string } | null> }
    }
    const connection = provide({}, async function* () {
      try {
        yield 'open'
        ended.push('committed')
      } catch (error) {
        ended.push('rolled back')
        throw error
      }
    })
    const account = provide(
      { uses: { connection }, guard: true, errors: [401], security: { type: 'http', scheme: 'bearer' } },
      async ({ request }, { users }: Services) =>
        (await users.find(String(request.headers['authorization']).slice(7))) ?? false,
    )
    const owner = provide({ uses: { account }, errors: [403] }, ({ account }) => account.name === 'ada')
    const transaction = provide({}, notRun)
    class Accounts extends Route<Services> {
      static readonly uses = { owner }
      static readonly post = this.contract({ uses: { transaction }, body: z.object({}) })
      async post() {
        notRun()
      }
    }
    const app = createApp({ services: { users: service(() => users) }, routes: { Accounts }, openapi: false })
    const report = await file.update(app, { actors: ACTORS })
    assert.deepEqual(file.rows, ['reached  401      POST /accounts'])
    assert.deepEqual(report.services, [{ call: 'users.find', count: 2 + report.denials.tried }])
    assert.deepEqual([ended[0], ended[1], ended.length], ['committed', 'rolled back', 2 + report.denials.tried])
  })

  it('makes input for guards from their schemas', async () => {
    using file = new MatrixFile()
    const seen: unknown[] = []
    const tenant = provide(
      {
        guard: true,
        errors: [403],
        params: z.object({ id: z.uuid() }),
        query: z.object({
          page: z.number().int().min(3),
          tags: z.array(z.enum(['a', 'b'])).min(2),
          none: z.string().optional(),
        }),
        headers: z.object({ 'x-tenant': z.string().min(4), 'x-list': z.array(z.number()).min(2) }),
        cookies: z.object({ theme: z.literal('dark') }),
      },
      ({ params, query, headers, cookies }) => {
        seen.push({ params, query, headers, cookies })
        return true
      },
    )
    class Items extends Route {
      static readonly path = '/items/{id}'
      static readonly uses = { tenant }
      async get() {
        notRun()
      }
    }
    const app = createApp({ routes: { Items }, openapi: false })
    await file.update(app, { actors: { nobody: {} } })
    assert.deepEqual(file.rows, ['reached  GET /items/{id}'])
    assert.deepEqual(seen, [
      {
        params: { id: '5bd4ae2c-6e6b-4a1b-9d6b-0f7a3c9e2d11' },
        query: { page: 3, tags: ['a', 'a'] },
        headers: { 'x-tenant': 'aaaa', 'x-list': [1, 1] },
        cookies: { theme: 'dark' },
      },
    ])
  })
})

describe('authorization(): undecided endpoints', () => {
  const slug = z.object({ slug: z.string().regex(/^[a-z]+-[0-9]+$/) })
  class Articles extends Route {
    static readonly path = '/articles/{slug}'
    static readonly get = this.contract({ params: slug, uses: { user } })
    async get() {
      notRun()
    }
  }

  it('does not call an endpoint whose schema rejects the input, and calls it with an example', async () => {
    using file = new MatrixFile()
    const app = createApp({ routes: { Articles }, openapi: false })
    const [finding, ...others] = await listFindings(file.update(app, { actors: ACTORS }))
    assert.match(
      String(finding),
      /^GET \/articles\/\{slug\} \(Articles\): needs an example, because params\/slug: .*\. Write "examples: \{ 'GET \/articles\/\{slug\}': \{ … \} \}"$/,
    )
    assert.deepEqual(others, [])
    assert.throws(() => file.text, { code: 'ENOENT' })
    const examples = { 'GET /articles/{slug}': { params: { slug: 'news-1' } } }
    await file.update(app, { actors: ACTORS, examples })
    assert.deepEqual(file.rows, ['reached  401      GET /articles/{slug}'])
  })

  for (const status of [406, 410, 422, 429, 500]) {
    it(`does not count ${status} as a denial, unless an example has this status`, async () => {
      using file = new MatrixFile()
      class Limited extends Route {
        static readonly uses = {
          user,
          limit: provide({ guard: true, errors: [status] }, () => {
            throw status === 500 ? new Error('lost') : new HttpError(status, 'lost')
          }),
        }
        async get() {
          notRun()
        }
      }
      const app = createApp({ routes: { Limited }, openapi: false })
      const findings = await listFindings(file.update(app, { actors: ACTORS }))
      assert.equal(findings.length, 1)
      assert.match(
        String(findings),
        new RegExp(`ada: undecided, because the status is ${status} \\(.*lost.*"status: ${status}"`),
      )
      await file.update(app, { actors: ACTORS, examples: { 'GET /limited': { status } } })
      assert.deepEqual(file.rows, [`${status}      401      GET /limited`])
    })
  }

  it('compares the other endpoints with the file if one is undecided', async () => {
    using file = new MatrixFile()
    let isLimited = false
    const limit = provide({ guard: true, errors: [429] }, () => {
      if (isLimited) throw new HttpError(429)
    })
    class Limited extends Route {
      static readonly uses = { limit }
      async get() {
        notRun()
      }
    }
    const app = () => createApp({ routes: { Limited }, openapi: false })
    await file.update(app(), { actors: ACTORS })
    isLimited = true
    const findings = await listFindings(file.compare(app(), { actors: ACTORS }))
    assert.equal(findings.length, 2)
    assert.match(String(findings[0]), /^GET \/limited \(Limited\): ada: undecided, because the status is 429/)
  })

  it('reports the status of a response without an error', async () => {
    using file = new MatrixFile()
    const redirect: Middleware = async () => reply(302, undefined, { location: '/login' })
    class Home extends Route {
      async get() {
        notRun()
      }
    }
    const app = createApp({ routes: { Home }, middleware: [redirect], openapi: false })
    const [finding] = await listFindings(file.update(app, { actors: { nobody: {} } }))
    assert.match(String(finding), /nobody: undecided, because the status is 302\. Write/)
  })

  it('needs an example for a path parameter that a path cannot contain', async () => {
    using file = new MatrixFile()
    class Item extends Route {
      static readonly path = '/items/{id}'
      async get() {
        notRun()
      }
    }
    const items = createApp({ routes: { Item }, openapi: false })
    const examples = { 'GET /items/{id}': { params: { id: '..' } } }
    const [finding] = await listFindings(file.update(items, { actors: ACTORS, examples }))
    assert.match(String(finding), /needs an example, because params: .*clients remove the segment/)
  })

  it('does not count the response of another endpoint', async () => {
    using file = new MatrixFile()
    class First extends Route {
      static readonly path = '/things/1'
      async get() {
        notRun()
      }
    }
    class Thing extends Route {
      static readonly path = '/things/{id}'
      async get() {
        notRun()
      }
      async delete() {
        notRun()
      }
    }
    const app = createApp({ routes: { First, Thing }, openapi: false })
    const findings = (await listFindings(file.update(app, { actors: { nobody: {} } }))).join('\n')
    assert.match(findings, /GET \/things\/\{id\} .*: nobody: undecided, because the endpoint GET \/things\/1 matches/)
    assert.match(
      findings,
      /DELETE \/things\/\{id\} .*: nobody: undecided, because no endpoint matches the path "\/things\/1"/,
    )
    const params = { id: 2 }
    const examples = { 'GET /things/{id}': { params }, 'DELETE /things/{id}': { params } }
    assert.deepEqual(await listFindings(file.update(app, { actors: { nobody: {} }, examples })), [])
  })

  it('asks for an example if a function reads the version', async () => {
    using file = new MatrixFile()
    class Home extends Route {
      @version('>=2')
      async get() {
        notRun()
      }
    }
    const from = ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
      headers['x-version']
    const app = createApp({ versioning: { from, default: '1.0.0' }, routes: { Home }, openapi: false })
    const findings = await listFindings(file.update(app, { actors: { nobody: {} } }))
    assert.match(String(findings), /needs an example, because versioning\.from is a function/)
    const examples = { 'GET /home (versions >=2)': { headers: { 'X-Version': '2.0' } } }
    await file.update(app, { actors: { nobody: {} }, examples })
    assert.deepEqual(file.rows, ['reached  GET /home (versions >=2)'])
  })
})
