/** Real shared caches in front of an app: none sends the response of one client to another. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { anyOf, apiKey, bearer, cacheControl, createApp, group, HttpError, optional, Route, type Input } from 'verbena'
import { files } from 'verbena/files'
import { session, signedCookie } from 'verbena/session'
import { Nginx, singleWorker } from '../stack/nginx.js'
import { ask } from './support.js'
import { VarnishServer } from './varnish-server.js'

const KEYS = ['k'.repeat(43)]
const known = (name: string) => (['ada', 'bob'].includes(name) ? name : null)
const key = apiKey({ in: 'header', name: 'X-API-Key' }, known)
const token = bearer(known)
const visitor = session({ keys: KEYS })
const theme = signedCookie('theme', { keys: KEYS })

/** Number of responses that the app has created. */
let count = 0

function answerFor(name: string | undefined): string {
  return `${name ?? 'anybody'} ${++count}`
}

class Open extends Route {
  async get() {
    return answerFor(undefined)
  }
}

class Key extends Route {
  static readonly get = this.contract({ uses: { key }, etag: true })
  async get({ key }: Input<typeof Key.get>) {
    return answerFor(key)
  }
}

class Token extends Route {
  static readonly get = this.contract({ uses: { token } })
  async get({ token }: Input<typeof Token.get>) {
    return answerFor(token)
  }
}

class Either extends Route {
  static readonly get = this.contract({ uses: { caller: anyOf(token, key) } })
  async get({ caller }: Input<typeof Either.get>) {
    return answerFor(caller)
  }
}

class Maybe extends Route {
  static readonly get = this.contract({ uses: { caller: optional(anyOf(token, key)) } })
  async get({ caller }: Input<typeof Maybe.get>) {
    return answerFor(caller)
  }
}

/** Shared caches may store it for a minute, for each key. */
class Fresh extends Route {
  static readonly get = this.contract({ uses: { key } })
  async get({ key, response }: Input<typeof Fresh.get>) {
    response.header('cache-control', cacheControl({ maxAge: 60_000 }))
    return answerFor(key)
  }
}

/** Varnish and nginx store a 404, so the first client would decide what the others see. */
class Own extends Route {
  static readonly get = this.contract({ uses: { key } })
  async get({ key }: Input<typeof Own.get>) {
    if (key !== 'ada') throw new HttpError(404)
    return answerFor(key)
  }
}

class Me extends Route {
  static readonly get = this.contract({ uses: { visitor } })
  async get({ visitor }: Input<typeof Me.get>) {
    return answerFor(visitor.value)
  }
  static readonly put = this.contract({ uses: { visitor } })
  async put({ visitor, request }: Input<typeof Me.put>) {
    visitor.start(String(request.headers['x-name']))
  }
}

class Theme extends Route {
  static readonly get = this.contract({ uses: { theme } })
  async get({ theme }: Input<typeof Theme.get>) {
    return answerFor(theme.value)
  }
  static readonly put = this.contract({ uses: { theme } })
  async put({ theme, request }: Input<typeof Theme.put>) {
    theme.set(String(request.headers['x-name']))
  }
}

const folder = mkdtempSync(join(tmpdir(), 'verbena-caches-'))
mkdirSync(join(folder, 'pages'))
writeFileSync(join(folder, 'pages', 'index.html'), 'for members')
const pages = group({ uses: { key }, routes: { '/': files(join(folder, 'pages'), { fallback: 'index.html' }) } })
const routes = { Open, Key, Token, Either, Maybe, Fresh, Own, Me, Theme, '/pages': pages }
const app = createApp({ routes, logger: false, signals: false })

/** The caches, in front of the same app. nginx stores every response for which the app does not forbid it. */
const varnish = new VarnishServer()
let appPort = 0
const nginx = new Nginx({ folder, sockets: [], port: 0 }, (_settings, port) => {
  return singleWorker(
    folder,
    `
      proxy_cache_path ${folder}/cache keys_zone=shared:1m;
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://127.0.0.1:${appPort};
          proxy_cache shared;
          proxy_cache_valid any 1m;
        }
      }`,
  )
})

before(async () => {
  appPort = (await app.listen()).port
  await varnish.start(appPort)
  await nginx.start()
})
after(async () => {
  await nginx.stop('SIGTERM')
  await varnish.remove()
  await app.close()
  rmSync(folder, { recursive: true })
})

const ADA = { 'x-api-key': 'ada' }
const BOB = { 'x-api-key': 'bob' }
const [TOKEN_ADA, TOKEN_BOB] = [{ authorization: 'Bearer ada' }, { authorization: 'Bearer bob' }]

/** Credentials of two clients for each path, and the status without credentials. */
const GUARDED: readonly (readonly [path: string, ada: object, bob: object, status: number])[] = [
  ['/key', ADA, BOB, 401],
  ['/token', TOKEN_ADA, TOKEN_BOB, 401],
  ['/either', ADA, TOKEN_BOB, 401],
  ['/maybe', ADA, BOB, 200],
  ['/maybe?with=token', TOKEN_ADA, TOKEN_BOB, 200],
  ['/fresh', ADA, BOB, 401],
]

for (const [name, cache] of [
  ['Varnish', varnish],
  ['nginx', nginx],
] as const) {
  const get = async (path: string, headers: object = {}) => {
    const { status, body } = await ask(cache.url, `${path}${path.includes('?') ? '&' : '?'}cache=${name}`, {
      headers: { ...headers },
    })
    return { status, body, who: status === 200 ? (body.split(' ')[0] ?? '') : status }
  }

  describe(`${name} in front of the app`, () => {
    it('stores the responses of an endpoint without credentials', async () => {
      const { body } = await get('/open')
      assert.match(body, /^anybody \d+$/)
      assert.equal((await get('/open')).body, body)
    })

    for (const [path, ada, bob, status] of GUARDED) {
      it(`sends no response to another client: ${path}`, async () => {
        const without = status === 200 ? 'anybody' : status
        for (const turn of ['first', 'second']) {
          assert.equal((await get(path, ada)).who, 'ada', turn)
          assert.equal((await get(path)).who, without, turn)
          assert.equal((await get(path, bob)).who, 'bob', turn)
        }
      })

      it(`stores no refusal, and no response for anybody: ${path}`, async () => {
        const fresh = `${path}${path.includes('?') ? '&' : '?'}refused=first`
        await get(fresh)
        assert.equal((await get(fresh, ada)).who, 'ada')
        assert.equal((await get(fresh, bob)).who, 'bob')
      })
    }

    it('stores a response with max-age for each key', async () => {
      const { body } = await get('/fresh?a=1', ADA)
      assert.equal((await get('/fresh?a=1', ADA)).body, body)
      assert.match((await get('/fresh?a=1', BOB)).body, /^bob/)
    })

    it('stores no 404 of a guarded endpoint', async () => {
      assert.equal((await get('/own', BOB)).status, 404)
      assert.equal((await get('/own', ADA)).who, 'ada')
    })

    for (const path of ['/me', '/theme']) {
      it(`sends no response to another cookie: ${path}`, async () => {
        const cookies = await Promise.all(
          ['ada', 'bob'].map(async (who) => {
            const { headers } = await ask(cache.url, path, { method: 'PUT', headers: { 'x-name': who } })
            return String(headers['set-cookie']?.[0]).split(';')[0] ?? ''
          }),
        )
        for (const [at, cookie] of [...cookies, ...cookies].entries()) {
          assert.equal((await get(path, { cookie })).who, at % 2 === 0 ? 'ada' : 'bob')
          assert.equal((await get(path)).who, 'anybody')
        }
      })
    }

    it('sends no page of a guarded folder to anybody', async () => {
      for (const path of ['/pages/', '/pages/any/view']) {
        const headers = { ...ADA, accept: 'text/html' }
        assert.equal((await get(path, headers)).body, 'for members')
        assert.equal((await get(path, { accept: 'text/html' })).status, 401)
        assert.equal((await get(path, headers)).body, 'for members')
      }
    })
  })
}
