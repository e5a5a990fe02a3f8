import '#test/development.js'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { listRoutes, aboutRequest, takeSnapshot } from '#src/devconsole/serve/api.js'
import type { Har } from '#src/devconsole/serve/har.js'
import type { RequestPage } from '#src/devconsole/wire/feed-types.js'
import type { HostEndpoint } from '#src/devconsole/host/console-host.js'
import { framePlace } from '#src/devconsole/host/stack.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { createRecord } from '#test/console-records.js'
import { makeParts } from '#src/devconsole/serve/console-parts.js'
import { onCleanup } from '#test/cleanup.js'
import { openConsole, read, waitForSnapshot } from '#test/console.js'
import { createHost } from '#test/console-host.js'

const ENDPOINT: HostEndpoint = {
  ...{ class: 'Files', id: 'Files.get', method: 'GET', template: '/files/{path...}', decorators: ['@log'] },
  place: framePlace('    at <static_initializer> (/app/src/files.ts:7:3)', '/app'),
  ...{
    version: '>=2',
    deprecated: true,
    operation: ['/files/{path}', 'get'],
    vendor: 'any',
    warnings: ['Look'],
    notes: ['Mind'],
  },
}

describe('READERS', () => {
  it('serves the scripts of the page, which its policy allows by their hashes', async (t) => {
    const shown = await openConsole()
    onCleanup(t, () => shown.close())
    const base = `${shown.url}/__dev__`
    const page = await fetch(base)
    const html = await page.text()
    const policy = page.headers.get('content-security-policy') ?? ''
    const tags = [...html.matchAll(/src="([^"]+)" integrity="(sha256-[^"]+)"/g)]
    assert.deepEqual(
      tags.map(([, path]) => path),
      ['/__dev__/page.js', '/__dev__/views.js'],
    )
    for (const [, path = '', integrity = ''] of tags) {
      const script = await fetch(shown.url + path)
      const hash = createHash('sha256').update(await script.text())
      assert.equal(`sha256-${hash.digest('base64')}`, integrity)
      assert.ok(policy.includes(` '${integrity}'`), policy)
      const { headers } = script
      assert.deepEqual(
        ['content-type', 'cache-control', 'x-content-type-options'].map((name) => headers.get(name)),
        ['text/javascript; charset=utf-8', 'no-store', 'nosniff'],
      )
    }
  })
})

describe('READERS: filter', () => {
  it('interprets a time of day in the time zone of the browser', async (t) => {
    const shown = await openConsole()
    onCleanup(t, () => shown.close())
    await (await fetch(`${shown.url}/books/3`)).arrayBuffer()
    await waitForSnapshot(shown.url, 1)
    const own = new Date().getTimezoneOffset()
    const zone = own - 330
    const soon = new Date(Date.now() + 30_000 - zone * 60_000).toISOString().slice(11, 19)
    for (const [query, count] of [
      [`zone=${zone}`, 1],
      [`zone=${own}`, 0],
      ['zone=nowhere', 0],
      ['', 0],
    ] as const) {
      const q = `${query}&q=before:${soon}`
      const { items } = await read<RequestPage>(`${shown.url}/__dev__/api/requests?${q}`)
      const { log } = await read<Har>(`${shown.url}/__dev__/api/har?${q}`)
      assert.deepEqual([items.length, log.entries.length], [count, count], q)
    }
  })
})

describe('listRoutes()', () => {
  it('lists each endpoint with its place in the code and in the OpenAPI document', () => {
    const hidden = { ...ENDPOINT, operation: null, place: framePlace(undefined, '/app') }
    const { routes, warnings } = listRoutes([ENDPOINT, hidden], '/openapi.json')
    assert.deepEqual(routes[0], {
      ...{ id: 'Files.get', class: 'Files', method: 'GET', template: '/files/{path...}' },
      ...{ place: { file: 'src/files.ts', line: 7 }, decorators: ['@log'], version: '>=2', deprecated: true },
      ...{ operation: ['/files/{path}', 'get'], warnings: ['Look'], notes: ['Mind'] },
    })
    assert.deepEqual([routes[1]?.operation, routes[1]?.place, warnings], [null, null, []])
  })

  it('warns if no OpenAPI document is served', () => {
    assert.match(listRoutes([], null).warnings.join(''), /not served/)
  })

  it('returns null for a place that cannot be parsed', () => {
    assert.equal(framePlace('at native', '/app'), null)
  })
})

const aboutWith = (changes: Partial<RequestRecord>) => Object.fromEntries(aboutRequest(createRecord(changes)))

describe('aboutRequest()', () => {
  it('returns the handler and facts of the request', () => {
    const about = aboutRequest(
      createRecord({
        'code.file.path': 'src/books.ts',
        'code.line.number': 7,
        'user_agent.original': 'curl/8',
        'dev.traceId': 'abc',
        params: { id: '1' },
        decorators: ['@log', '@speed({ slow: 5 })'],
      }),
    )
    assert.deepEqual(about, [
      ['Template', [{ code: '/books/{id}' }]],
      ['Handler', [{ code: 'Books.get' }, ' in ', { place: { file: 'src/books.ts', line: 7 } }]],
      ['Parameters', [{ code: '{"id":"1"}' }]],
      ['Decorators', [{ code: '@log, @speed({ slow: 5 })' }]],
      ['Version', [{ dim: 'not versioned' }]],
      ['Client', [{ code: '127.0.0.1, curl/8' }]],
      ['Trace', [{ code: 'abc' }]],
      ['Process', [{ code: '1' }]],
    ])
  })

  it('shows "none" for missing facts, and omits unknown facts', () => {
    const about = aboutWith({ 'http.route': null, 'code.function.name': null, 'client.address': null })
    assert.deepEqual(about, {
      Template: [{ dim: 'none matched' }],
      Handler: [{ dim: 'none' }],
      Parameters: [{ dim: 'none' }],
      Decorators: [{ dim: 'none' }],
      Version: [{ dim: 'not versioned' }],
      Process: [{ code: '1' }],
    })
  })

  it('shows the requested version, its header and whether it satisfies the constraint', () => {
    const version = { asked: '2.1', constraint: '>=2', ok: true, from: 'accept-version', isDefault: false }
    const saidOf = (changes: Partial<RequestRecord['version']>) =>
      aboutWith({ version: { ...version, alternatives: [], ...changes } })['Version']
    const [from, constraint] = [{ code: 'accept-version' }, { code: '>=2' }]
    assert.deepEqual(saidOf({}), ['requested 2.1 by ', from, ', satisfies ', constraint])
    assert.deepEqual(saidOf({ ok: false, asked: null }), [
      'requested no version by ',
      from,
      ', does not satisfy ',
      constraint,
    ])
    assert.deepEqual(saidOf({ isDefault: true }), ['default 2.1', ', satisfies ', constraint])
  })
})

describe('takeSnapshot()', () => {
  it('contains problems found across requests, and reports them to open pages', (test) => {
    const parts = makeParts(createHost())
    const told = test.mock.method(parts.feed, 'incident')
    for (let count = 0; count < 5; count++) {
      parts.store.add({ record: createRecord({ seq: parts.store.next() }), bytes: 1 })
    }
    const kinds = takeSnapshot(parts).problems.map(({ kind }) => kind)
    assert.deepEqual(kinds, ['burst'])
    assert.deepEqual(
      told.mock.calls.map(({ arguments: [incident] }) => incident?.kind),
      kinds,
    )
    takeSnapshot(parts)
    assert.equal(told.mock.callCount(), 1)
  })
})
