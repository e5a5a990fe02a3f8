/** Sends a request for each row of "What your clients will notice" in docs/coming-from/express.md to Express and to Verbena. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createExpress, createKept, createVerbena } from './express-servers.js'

interface Row {
  /** First cell of the row. */
  readonly name: string
  readonly path: string
  readonly init?: RequestInit
  /** Headers to compare, or `body`. */
  readonly shows?: readonly string[]
  /** Status, and the values of `shows`. */
  readonly express: readonly unknown[]
  readonly verbena: readonly unknown[]
  /** Response with the last cell of the row; `undefined` if it cannot be changed. */
  readonly kept?: readonly unknown[]
}

const PAGE = new URL('../../../docs/coming-from/express.md', import.meta.url)
const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = { 'content-type': 'application/json' }
const PROBLEM = 'application/problem+json'

function post(body: string, headers: Record<string, string> = JSON_TYPE): RequestInit {
  return { method: 'POST', headers, body }
}

const ROWS: readonly Row[] = [
  {
    name: '`Accept: text/html`',
    path: '/notes',
    init: { headers: { accept: 'text/html' } },
    express: [200],
    verbena: [406],
    kept: [200],
  },
  {
    name: 'Another `Content-Type`',
    path: '/notes',
    init: post('{"text":"a"}', { 'content-type': 'text/plain' }),
    express: [200],
    verbena: [415],
    kept: [200],
  },
  { name: 'No body', path: '/notes', init: { method: 'POST' }, express: [200], verbena: [400], kept: [200] },
  { name: 'Malformed JSON', path: '/notes', init: post('{'), express: [400], verbena: [400], kept: [500] },
  {
    name: 'JSON above 100 kB',
    path: '/notes',
    init: post(JSON.stringify({ text: 'a'.repeat(110_000) })),
    express: [413],
    verbena: [200],
    kept: [413],
  },
  { name: 'Repeated `?tag=a&tag=b`', path: '/notes?tag=a&tag=b', express: [200], verbena: [422], kept: [200] },
  {
    name: 'Unknown path',
    path: '/none',
    shows: ['content-type'],
    express: [404, HTML],
    verbena: [404, PROBLEM],
    kept: [404, HTML],
  },
  {
    name: 'Unknown method of a path',
    path: '/notes',
    init: { method: 'DELETE' },
    shows: ['allow'],
    express: [404, null],
    verbena: [405, 'GET, HEAD, OPTIONS, POST'],
    kept: [404, null],
  },
  {
    name: 'Method without routes, such as PROPFIND',
    path: '/notes',
    init: { method: 'PROPFIND' },
    express: [404],
    verbena: [501],
    kept: [404],
  },
  {
    name: 'OPTIONS',
    path: '/notes',
    init: { method: 'OPTIONS' },
    shows: ['body'],
    express: [200, 'GET, HEAD, POST'],
    verbena: [204, ''],
    kept: [200, 'GET, HEAD, POST'],
  },
  { name: 'Case of a path, `/Notes`', path: '/Notes', express: [200], verbena: [404] },
  { name: 'Slash at the end, `/notes/`', path: '/notes/', express: [200], verbena: [404], kept: [200] },
  {
    name: 'Unexpected error',
    path: '/broken',
    shows: ['content-type'],
    express: [500, HTML],
    verbena: [500, PROBLEM],
    kept: [500, 'application/json'],
  },
  {
    name: '401',
    path: '/private',
    shows: ['www-authenticate'],
    express: [401, null],
    verbena: [401, 'Bearer'],
    kept: [401, null],
  },
  {
    name: 'Redirect',
    path: '/old',
    init: { redirect: 'manual' },
    shows: ['vary', 'body'],
    express: [302, 'Accept', 'Found. Redirecting to /notes'],
    verbena: [302, null, ''],
    kept: [302, 'Accept', 'Found. Redirecting to /notes'],
  },
  {
    name: '`Content-Type` of JSON',
    path: '/notes',
    shows: ['content-type'],
    express: [200, 'application/json; charset=utf-8'],
    verbena: [200, 'application/json'],
    kept: [200, 'application/json; charset=utf-8'],
  },
  {
    name: '`ETag`',
    path: '/notes',
    shows: ['etag'],
    express: [200, 'W/"…"'],
    verbena: [200, null],
    kept: [200, '"…"'],
  },
  {
    name: '`X-Content-Type-Options`',
    path: '/notes',
    shows: ['x-content-type-options'],
    express: [200, null],
    verbena: [200, 'nosniff'],
  },
  {
    name: '`X-Request-Id`',
    path: '/private',
    shows: ['x-request-id'],
    express: [401, null],
    verbena: [401, '…'],
    kept: [401, null],
  },
  {
    name: '`X-Powered-By`',
    path: '/notes',
    shows: ['x-powered-by'],
    express: [200, 'Express'],
    verbena: [200, null],
    kept: [200, 'Express'],
  },
]

/** Sends a request. Random ids and hashes are replaced by `…`. */
async function send(url: string, { path, init, shows = [] }: Row): Promise<unknown[]> {
  const response = await fetch(url + path, init ?? {})
  const body = await response.text()
  const values = shows.map((name) => (name === 'body' ? body : response.headers.get(name)))
  return [response.status, ...values.map((value) => value?.replace(/(?<=")[^"]+(?=")|^[\w-]{12}$/, '…') ?? null)]
}

describe('docs/coming-from/express.md: what your clients will notice', () => {
  const server = createExpress().listen(0, '127.0.0.1')
  const apps = { verbena: createVerbena(), kept: createKept() }
  const urls = { express: '', verbena: '', kept: '' }

  before(async () => {
    if (!server.listening) await once(server, 'listening')
    // Proof: the server listens on a TCP port.
    urls.express = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    urls.verbena = (await apps.verbena.listen()).url
    urls.kept = (await apps.kept.listen()).url
  })

  after(async () => {
    server.closeAllConnections()
    server.close()
    await apps.verbena.close()
    await apps.kept.close()
  })

  it('has a test for each row', () => {
    const [, section = ''] = /^## What your clients will notice\n([^]*?)^## /m.exec(readFileSync(PAGE, 'utf8')) ?? []
    const cells = [...section.matchAll(/^\| (.+?) +\|/gm)].map(([, cell]) => cell).slice(1)
    assert.deepEqual(
      cells.filter((cell) => !/^-+$/.test(cell ?? '')),
      ROWS.map(({ name }) => name),
    )
  })

  for (const row of ROWS) {
    it(`has the responses of the row "${row.name}"`, async () => {
      assert.deepEqual(await send(urls.express, row), row.express, 'Express')
      assert.deepEqual(await send(urls.verbena, row), row.verbena, 'Verbena')
      const unchanged = row.kept === undefined
      assert.deepEqual(await send(urls.kept, row), row.kept ?? row.verbena, `Verbena, ${unchanged ? 'un' : ''}changed`)
    })
  }
})
