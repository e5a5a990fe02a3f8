/* oxlint-disable import/first -- the environment is read when modules load */
import '#test/development.js'
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { reply, type Middleware } from 'verbena'
import type { Health, RouteList } from '#src/devconsole/wire/view-types.js'
import type { RequestPage } from '#src/devconsole/wire/feed-types.js'
import type { Har } from '#src/devconsole/serve/har.js'
import { PHASES, TOKEN_HEADER } from '#src/devconsole/wire/request-types.js'
import { createExchange, createHost } from '#test/console-host.js'
import { MountedConsole } from '#src/devconsole/serve/mount.js'
import { actionToken, newestRecord, openConsole, post, read, waitForSnapshot, type TestConsole } from '#test/console.js'

/** Emits `entered` when a request waits for its client to disconnect. */
const entered = new EventEmitter()

/** Responds in ways that a route cannot. */
const special: Middleware = async ({ request, signal }, next) => {
  if (request.path === '/large') return reply(200, 'x'.repeat(8 * 1024 * 1024))
  if (request.path === '/broken') return Object.assign(await next(), { headers: new Map([['bad name', 'x']]) })
  if (request.path === '/never') {
    entered.emit('entered')
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
  return next()
}

describe('MountedConsole', () => {
  let shown: TestConsole
  let base: string

  before(async () => {
    // A busy machine blocks the event loop, which the console would report as a stall.
    shown = await openConsole({ stall: 3_600_000 }, { middleware: [special] })
    base = `${shown.url}/__dev__`
  })
  after(() => shown.close())

  /** The record of a request that is made now. */
  async function recordOf(make: () => Promise<unknown>) {
    const { seq } = await waitForSnapshot(shown.url, 0)
    await make()
    for (;;) {
      const { requests } = await waitForSnapshot(shown.url, 0)
      const [newest] = requests
      if (newest !== undefined && newest.seq > seq) return newestRecord(shown.url, 0)
    }
  }

  it('records the handler, the place of its contract and the phases', async () => {
    const record = await recordOf(() => fetch(`${shown.url}/books/7?page=2`))
    assert.equal(record['http.request.method'], 'GET')
    assert.equal(record['url.path'], '/books/7')
    assert.equal(record['url.query'], 'page=2')
    assert.equal(record['http.route'], '/books/{id}')
    assert.equal(record['http.response.status_code'], 200)
    assert.equal(record['code.function.name'], 'Books.get')
    assert.equal(record['code.file.path'], 'test/support/console.ts')
    assert.deepEqual(record.params, { id: '7' })
    assert.deepEqual(record.decorators, ['@log'])
    const phases = record['dev.phases']
    assert.equal(phases.length, PHASES.length)
    for (const name of ['route', 'handler', 'serialize', 'send'] as const) {
      assert.ok((phases[PHASES.indexOf(name)] ?? 0) > 0, name)
    }
    assert.ok(phases.reduce((sum, each) => sum + each, 0) <= record['dev.duration'] + 0.01)
  })

  it('records calls of services that use private fields', async () => {
    const record = await recordOf(async () => {
      const response = await fetch(`${shown.url}/books/8`)
      assert.equal(response.status, 200)
    })
    assert.deepEqual(
      record.calls.map(({ name, args, error }) => ({ name, args, error })),
      [{ name: 'library.find', args: '"8"', error: null }],
    )
    assert.equal(record['dev.db'], 1)
  })

  it('reports repeated calls with their place in the code', async () => {
    const record = await recordOf(() => fetch(`${shown.url}/lists`))
    assert.deepEqual(record['dev.flags'], ['n+1'])
    assert.deepEqual(
      record.repeated.map(({ name, count, site }) => ({ name, count, file: site?.file })),
      [{ name: 'library.query', count: 6, file: 'test/support/console.ts' }],
    )
  })

  it('stores the log lines of a request, with secrets redacted', async () => {
    const record = await recordOf(() => fetch(`${shown.url}/books/9`))
    const [own, ofLog] = record.logs
    assert.deepEqual([own?.message, own?.fields], ['looking', { secret: 'redacted', shelf: 3 }])
    assert.equal(ofLog?.message, 'GET /books/9 200')
    assert.equal(record['dev.logs'], 2)
  })

  it('records validation issues with the sent value', async () => {
    const record = await recordOf(() => post(`${shown.url}/books/1`, { title: 5, password: 'hunter2' }))
    assert.equal(record['http.response.status_code'], 422)
    assert.deepEqual(record['dev.flags'], ['invalid'])
    assert.equal(record.vendor, 'zod')
    const [issue] = record.issues
    assert.deepEqual([issue?.side, issue?.where, issue?.received], ['request', 'body.title', '5'])
    assert.equal(record.request.body?.text, '{"title":5,"password":"redacted"}')
  })

  it('records an error with its cause and the source around its first frame', async () => {
    const record = await recordOf(() => post(`${shown.url}/books/1`, { title: 'wrong' }))
    assert.equal(record['error.type'], 'TypeError')
    assert.equal(record.error?.message, 'No such book')
    assert.equal(record.error?.cause?.message, 'The shelf is empty')
    const [frame] = record.error?.frames ?? []
    assert.match(`${frame?.function} ${frame?.kind}`, /Books\.post app$/)
    const source = record.error?.source
    assert.match(source?.lines[(source?.line ?? 0) - (source?.first ?? 0)] ?? '', /No such book/)
    assert.deepEqual(await read(`${base}/api/source?frame=${record.id}.${frame?.n}`), source)
    assert.equal((await fetch(`${base}/api/source`)).status, 404)
    assert.equal((await fetch(`${base}/api/requests/r_gone`)).status, 404)
    for (const wrong of [`${record.id}.99`, record.id, 'r_none.0', `../../etc/passwd`]) {
      assert.equal((await fetch(`${base}/api/source?frame=${encodeURIComponent(wrong)}`)).status, 404, wrong)
    }
  })

  it('distinguishes a contract violation from other failures', async () => {
    const record = await recordOf(() => post(`${shown.url}/books/1`, { title: 'mismatch' }))
    assert.equal(record['http.response.status_code'], 500)
    assert.ok(record['dev.flags'].includes('mismatch'))
    assert.deepEqual(record.issues[0]?.side, 'response')
    assert.equal(record.issues[0]?.where, 'body.title')
  })

  it('records the negotiated version with its alternatives', async () => {
    const record = await recordOf(() => fetch(`${shown.url}/editions`, { headers: { 'accept-version': '1.1.0' } }))
    assert.deepEqual(record['dev.version'], { asked: '1.1.0', constraint: '>=2.0.0', ok: false })
    assert.deepEqual(record.version?.alternatives, ['>=2.0.0'])
    assert.equal(record.version?.from, 'accept-version')
    const served = await recordOf(() => fetch(`${shown.url}/editions`, { headers: { 'accept-version': '2.1.0' } }))
    assert.equal(served.version?.ok, true)
    const fallback = await recordOf(() => fetch(`${shown.url}/editions`))
    assert.deepEqual([fallback.version?.isDefault, fallback.version?.asked], [true, '1.0.0'])
  })

  it('measures guards, other providers and the body separately, and records their calls of services', async () => {
    const record = await recordOf(() => post(`${shown.url}/loans`, { title: 'x' }, { member: 'me' }))
    assert.deepEqual(
      record.calls.map(({ name }) => name),
      ['library.find', 'library.query'],
    )
    for (const name of ['guards', 'readBody', 'validate', 'providers'] as const) {
      assert.ok((record['dev.phases'][PHASES.indexOf(name)] ?? 0) > 0, name)
    }
    const refused = await recordOf(() => post(`${shown.url}/loans`, { title: 'x' }, { member: 'banned' }))
    assert.equal(refused['http.response.status_code'], 401)
    assert.equal(refused['dev.phases'][PHASES.indexOf('handler')], 0)
  })

  it('records requests of app.fetch()', async () => {
    const record = await recordOf(() => shown.app.fetch(new Request('https://library.test/lists')))
    assert.deepEqual([record['url.scheme'], record['client.address']], ['https', null])
    assert.equal((await shown.app.fetch(new Request('http://localhost/__dev__'))).status, 404)
  })

  it('records a slow response after it has been sent', async () => {
    const record = await recordOf(async () => {
      const socket = connect(shown.port, '127.0.0.1')
      socket.write(`GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      await once(socket, 'readable')
      socket.resume()
      await once(socket, 'close')
    })
    assert.deepEqual([record['http.response.body.size'], record.aborted], [8 * 1024 * 1024, false])
  })

  it('records a disconnected client as aborted', async () => {
    const record = await recordOf(async () => {
      const socket = connect(shown.port, '127.0.0.1')
      socket.write('GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await once(entered, 'entered')
      socket.destroy()
    })
    assert.deepEqual([record['http.response.status_code'], record['dev.flags'], record.aborted], [0, ['aborted'], true])
  })

  it('ends the record of a response that could not be sent', async () => {
    const record = await recordOf(async () => {
      const socket = connect(shown.port, '127.0.0.1')
      socket.write('GET /broken HTTP/1.1\r\nHost: localhost\r\n\r\n')
      while ((await waitForSnapshot(shown.url, 1)).requests[0]?.['url.path'] !== '/broken') await sleep(5)
      socket.destroy()
    })
    assert.equal(record.logs.at(-1)?.message, 'Failed to send the response')
  })

  it('warns in the list of routes if the app serves no OpenAPI document', async () => {
    const hidden = await openConsole({}, { openapi: false })
    const { warnings } = await read<RouteList>(`${hidden.url}/__dev__/api/routes`)
    await hidden.close()
    assert.match(warnings.join(''), /not served/)
  })

  it('counts the bytes of a stream', async () => {
    const record = await recordOf(async () => (await fetch(`${shown.url}/streams`)).text())
    assert.equal(record['http.response.body.size'], 'one two'.length)
    assert.equal(record.response.body?.text, null)
  })

  it('does not record itself', async () => {
    const { buffer } = await waitForSnapshot(shown.url, 0)
    await fetch(base)
    await fetch(`${base}/api/nothing`)
    assert.equal((await waitForSnapshot(shown.url, 0)).buffer.total, buffer.total)
  })

  it('links a replayed request to the original', async () => {
    const record = await recordOf(() => fetch(`${shown.url}/lists`, { headers: { 'x-dev-replay': 'r_abc1' } }))
    assert.equal(record['dev.replayOf'], 'r_abc1')
    const forged = await recordOf(() => fetch(`${shown.url}/lists`, { headers: { 'x-dev-replay': '<img>' } }))
    assert.equal(forged['dev.replayOf'], null)
  })

  it('returns older requests that match a filter', async () => {
    await recordOf(() => fetch(`${shown.url}/nowhere`))
    const page = await read<RequestPage>(
      `${base}/api/requests?q=${encodeURIComponent('status:404 path:/nowhere')}&limit=1`,
    )
    assert.deepEqual(
      page.items.map((item) => item['url.path']),
      ['/nowhere'],
    )
    const before = page.items[0]?.seq ?? 0
    const rest = await read<RequestPage>(`${base}/api/requests?q=path:/nowhere&before=${before}`)
    assert.deepEqual(rest, { items: [], more: false })
    assert.equal((await read<RequestPage>(`${base}/api/requests?limit=1`)).more, true)
  })

  it('exports the requests that match a filter as HAR', async () => {
    await recordOf(() => fetch(`${shown.url}/books/3?token=hunter2`))
    const response = await fetch(`${base}/api/har?q=path:/books/3`)
    assert.match(response.headers.get('content-disposition') ?? '', /requests\.har/)
    const text = await response.text()
    assert.ok(!text.includes('hunter2'))
    const { log }: Har = JSON.parse(text)
    assert.deepEqual([log.version, log.entries.length], ['1.2', 1])
    const all = await read<Har>(`${base}/api/har`)
    assert.ok(all.log.entries.length > 1)
    assert.match(log.entries[0]?.request.url ?? '', /\/books\/3\?token=redacted$/)
  })

  it('returns routes, metrics, problems, health and the OpenAPI document', async () => {
    const { routes } = await read<RouteList>(`${base}/api/routes`)
    assert.deepEqual(
      routes.map(({ id, template, version }) => `${id} ${template} ${version ?? '-'}`),
      [
        'Books.get /books/{id} -',
        'Books.post /books/{id} -',
        'Lists.get /lists -',
        'Editions.get /editions >=2.0.0',
        'Loans.get /loans -',
        'Loans.post /loans -',
        'Streams.get /streams -',
      ],
    )
    assert.deepEqual(routes[3]?.decorators, ['@version(">=2.0.0")'])
    const { metrics, problems } = await waitForSnapshot(shown.url, 1)
    assert.ok(metrics.endpoints.some(({ handler, calls }) => handler === 'Books.get' && calls > 0))
    assert.deepEqual(
      await read(`${base}/api/metrics`).then((found) => Object.keys(Object(found))),
      Object.keys(metrics),
    )
    // On a busy machine, any request can be slow.
    const kinds = new Set(problems.map(({ kind }) => kind).filter((kind) => kind !== 'slow'))
    assert.deepEqual([...kinds].toSorted(), ['exception', 'invalid', 'large', 'mismatch', 'repeated', 'version'])
    const health = await read<Health>(`${base}/api/health`)
    assert.ok(health.guards.every(({ ok }) => ok))
    const document = await read<object>(`${base}/api/openapi`)
    assert.ok('paths' in document && Object.keys(Object(document.paths)).includes('/books/{id}'))
  })

  it('shows list and details without JavaScript, with escaped text', async () => {
    const record = await recordOf(() => fetch(`${shown.url}/<img src=x onerror=alert(1)>?q=%3Cscript%3E`))
    const list = await (await fetch(`${base}/requests`)).text()
    assert.ok(list.includes(`/__dev__/requests/${record.id}`))
    assert.ok(!list.includes('<img'))
    const detail = await fetch(`${base}/requests/${record.id}`)
    assert.ok(!(await detail.text()).includes('<img'))
    assert.match(detail.headers.get('content-security-policy') ?? '', /script-src 'none'; style-src 'sha256-/)
    assert.equal((await fetch(`${base}/requests/r_gone`)).status, 404)
  })

  it('accepts pins, subscriptions and clears only with the token of the page', async () => {
    const record = await recordOf(() => fetch(`${shown.url}/lists`))
    const token = { [TOKEN_HEADER]: await actionToken(shown.url) }
    const pin = { id: record.id, pinned: true }
    assert.equal((await post(`${base}/api/pin`, pin)).status, 403)
    assert.equal((await post(`${base}/api/pin`, pin, { [TOKEN_HEADER]: 'wrong' })).status, 403)
    assert.deepEqual(await (await post(`${base}/api/pin`, pin, token)).json(), { ids: [record.id] })
    assert.equal((await post(`${base}/api/pin`, { id: 'r_gone', pinned: true }, token)).status, 409)
    assert.equal((await post(`${base}/api/pin`, { id: 5 }, token)).status, 400)
    assert.equal((await post(`${base}/api/settings`, { stream: 'none', want: [] }, token)).status, 404)
    assert.equal((await post(`${base}/api/settings`, { stream: 'none', want: ['all'] }, token)).status, 400)
    assert.equal((await post(`${base}/api/clear`, {}, token)).status, 200)
    const { requests, logs, problems } = await waitForSnapshot(shown.url, 0)
    assert.deepEqual(
      requests.map(({ id }) => id),
      [record.id],
    )
    assert.equal(requests[0]?.['dev.pinned'], true)
    assert.deepEqual([logs, problems], [[], []])
    assert.deepEqual(await (await post(`${base}/api/pin`, { ...pin, pinned: false }, token)).json(), { ids: [] })
  })

  it('rejects bodies that are not a small JSON object', async () => {
    const token = await actionToken(shown.url)
    const send = async (body: string, type: string) => {
      const headers = { 'content-type': type, [TOKEN_HEADER]: token }
      return (await fetch(`${base}/api/clear`, { method: 'POST', headers, body })).status
    }
    assert.equal(await send('{}', 'text/plain'), 415)
    assert.equal(await send('[]', 'application/json'), 400)
    assert.equal(await send('{', 'application/json'), 400)
    assert.equal(await send(`{"a":"${'x'.repeat(5000)}"}`, 'application/json'), 413)
  })

  it('sends headers that prevent caching, sniffing and cross-origin use', async () => {
    for (const path of ['', '/api/snapshot', '/api/nothing', '/requests']) {
      const { headers } = await fetch(base + path)
      assert.equal(headers.get('cache-control'), 'no-store', path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      assert.equal(headers.get('referrer-policy'), 'no-referrer', path)
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path)
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', path)
      assert.equal(headers.get('x-robots-tag'), 'noindex', path)
      assert.equal(headers.get('access-control-allow-origin'), null, path)
    }
  })

  it('redirects a trailing slash to the page, and passes other paths to the app', async () => {
    const slash = await fetch(`${base}/`, { redirect: 'manual' })
    assert.deepEqual([slash.status, slash.headers.get('location')], [308, '/__dev__'])
    const other = await fetch(`${shown.url}/__dev__other`)
    assert.deepEqual([other.status, other.headers.get('content-type')], [404, 'application/problem+json'])
  })
})

describe('MountedConsole with other apps', () => {
  it('responds 500 and logs its own errors', async () => {
    const host = createHost({
      openapi: () => {
        throw new Error('No document')
      },
    })
    const { exchange, answers } = createExchange({ url: '/__dev__/api/openapi' })
    assert.ok(new MountedConsole(host).respondsTo(exchange))
    while (answers.length === 0) await sleep(1)
    assert.equal(answers[0]?.status, 500)
    assert.deepEqual(host.printed, ['__dev__ failed to respond: Error: No document'])
  })

  it('prints its URL for every kind of listener', () => {
    const printed = (url: string | undefined, given = {}) => {
      const host = createHost(given)
      new MountedConsole(host).opened(url)
      return host.printed.join('')
    }
    assert.match(printed('http://0.0.0.0:3000'), /: http:\/\/localhost:3000\/__dev__$/)
    assert.match(printed('https://[::]:3000'), /: https:\/\/localhost:3000\/__dev__$/)
    assert.match(printed('http://127.0.0.1:3000'), /: http:\/\/127\.0\.0\.1:3000\/__dev__$/)
    assert.match(printed('http+unix://%2Ftmp%2Fx'), /: \/__dev__$/)
    assert.equal(printed(undefined), 'Console (open to this machine, because NODE_ENV is "development"): /__dev__')
    assert.match(
      printed('http://[::1]:80', { isGuarded: true, reason: 'NODE_ENV is not set' }),
      /^Console \(token required, because NODE_ENV is not set\): http:\/\/\[::1\]:80\/__dev__#token=[\w-]{22}$/,
    )
  })

  it('reads the version from the same source as the app', async () => {
    const ofFunction = await openConsole(true, { versioning: { from: () => '1.0.0', default: '1.0.0' } })
    assert.equal((await waitForSnapshot(ofFunction.url, 0)).settings.versionHeader, null)
    await fetch(`${ofFunction.url}/editions`)
    assert.equal((await newestRecord(ofFunction.url, 1)).version?.from, 'a function of the app')
    await ofFunction.close()
    const ofType = await openConsole(true, { versioning: { from: { mediaType: 'v' }, default: '1.0.0' } })
    await fetch(`${ofType.url}/editions`)
    assert.equal((await newestRecord(ofType.url, 1)).version?.from, 'the parameter "v" of accept')
    await ofType.close()
  })
})
