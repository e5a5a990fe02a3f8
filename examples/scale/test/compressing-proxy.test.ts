/** A proxy that compresses makes the ETags of responses weak: lost updates are still prevented, and changes are still possible. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createApp, precondition, Route, type Input } from 'verbena'
import { Nginx, singleWorker } from '../stack/nginx.js'
import { ask } from './support.js'

const LONG = 'green tea '.repeat(400)
const state = { strict: 7, weak: 7 }
const strict = precondition({}, () => state.strict)
const weak = precondition({}, () => state.weak, { weak: true })

class Strict extends Route {
  static readonly get = this.contract({ uses: { strict }, etag: true })
  get() {
    return LONG
  }
  static readonly put = this.contract({ uses: { strict } })
  put({ strict }: Input<typeof Strict.put>) {
    state.strict = strict + 1
  }
}

class Weak extends Route {
  static readonly get = this.contract({ uses: { weak }, etag: true })
  get() {
    return LONG
  }
  static readonly put = this.contract({ uses: { weak } })
  put({ weak }: Input<typeof Weak.put>) {
    state.weak = weak + 1
  }
}

const folder = mkdtempSync(join(tmpdir(), 'verbena-gzip-'))
const app = createApp({ routes: { Strict, Weak }, logger: false, signals: false })
let appPort = 0
const nginx = new Nginx({ folder, sockets: [], port: 0 }, (_settings, port) => {
  return singleWorker(
    folder,
    `
      gzip on; gzip_types text/plain; gzip_proxied any;
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${appPort}; } }`,
  )
})

before(async () => {
  appPort = (await app.listen()).port
  await nginx.start()
})
after(async () => {
  await nginx.stop('SIGTERM')
  await app.close()
  rmSync(folder, { recursive: true })
})

const GZIP = { 'accept-encoding': 'gzip' }

async function readTag(path: string): Promise<string> {
  const { headers } = await ask(nginx.url, path, { headers: GZIP })
  assert.equal(headers['content-encoding'], 'gzip')
  return String(headers.etag)
}

const put = (path: string, tag: string) => ask(nginx.url, path, { method: 'PUT', headers: { 'if-match': tag } })

describe('precondition behind nginx with gzip', () => {
  it('responds 412 to the weak ETag of nginx, and says so', async () => {
    const tag = await readTag('/strict')
    assert.equal(tag, 'W/"7"')
    const { status, body } = await put('/strict', tag)
    assert.equal(status, 412)
    assert.match(body, /The ETag in \\"If-Match\\" is weak, or a proxy has changed it/)
    assert.equal((await ask(nginx.url, '/strict', { headers: { ...GZIP, 'if-none-match': tag } })).status, 304)
  })

  it('accepts it with weak: true, but only for the current revision', async () => {
    const tag = await readTag('/weak')
    assert.deepEqual([tag, (await put('/weak', tag)).status], ['W/"7"', 204])
    assert.equal((await put('/weak', tag)).status, 412)
    assert.equal((await put('/weak', await readTag('/weak'))).status, 204)
  })
})
