/** Preconditions: changes of a state that the client has not seen are refused before anything is read or done. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, group, precondition, provide, Route, type Input, type Revision } from 'verbena'
import { override, testApp } from 'verbena/testing'
import * as z from 'zod'
import { sendRequest, assertSetupError, json, createUntypedApp } from '#test/apps.js'

/** Creates an app whose state has a revision, and which counts reads and writes. */
function appWith(current: Revision, required = false, weak = false) {
  const state = { asked: 0, put: 0, seen: undefined as unknown }
  const revision = precondition(
    { params: z.object({ id: z.string() }) },
    ({ params }, { db }: { db: { revision: (id: string) => Revision | Promise<Revision> } }) => {
      state.asked++
      return db.revision(params.id)
    },
    { required, weak },
  )
  class Doc extends Route {
    static readonly path = '/docs/{id}'
    static readonly get = this.contract({ uses: { revision }, etag: true })
    get() {
      return { text: 'x' }
    }
    static readonly put = this.contract({ uses: { revision }, body: z.object({ text: z.string() }) })
    put({ revision }: Input<typeof Doc.put>) {
      state.put++
      state.seen = revision
      return { done: true }
    }
  }
  const app = createUntypedApp({ services: { db: { revision: () => current } }, routes: { Doc } })
  const put = (headers: Record<string, string>, body = '{"text":"y"}') =>
    sendRequest(app, '/docs/7', { method: 'PUT', headers: { 'content-type': 'application/json', ...headers }, body })
  return { app, state, put }
}

describe('precondition()', () => {
  it('accepts a change whose condition is true, and provides the revision', async () => {
    const { put, state } = appWith(5)
    for (const headers of [{ 'if-match': '"5"' }, { 'if-match': '"4", "5"' }, { 'if-match': '*' }, {}]) {
      const { status } = await put(headers)
      assert.equal(status, 200, JSON.stringify(headers))
    }
    assert.equal(state.put, 4)
    assert.equal(state.seen, 5)
  })

  it('responds 412 with the current ETag if the condition is false, before the body is read', async () => {
    const { put, state } = appWith(5)
    for (const headers of [
      { 'if-match': '"4"' },
      { 'if-match': 'W/"5"' },
      { 'if-none-match': '*' },
      { 'if-none-match': '"5"' },
    ]) {
      const { status, headers: fields, body } = await put(headers, '{"broken')
      assert.deepEqual([status, fields.get('etag')], [412, '"5"'], JSON.stringify(headers))
      const isMade = 'if-none-match' in headers
      assert.match(JSON.stringify(body), isMade ? /already exists/ : /has changed since it was read|is weak/)
    }
    assert.equal(state.put, 0)
  })

  it('supports resources that do not exist', async () => {
    for (const nothing of [null, undefined]) {
      const { put, app } = appWith(nothing, true)
      const made = await put({ 'if-none-match': '*' })
      const changed = await put({ 'if-match': '*' })
      assert.deepEqual([made.status, changed.status, changed.headers.get('etag')], [200, 412, null])
      const { headers } = await sendRequest(app, '/docs/7')
      assert.notEqual(headers.get('etag'), null)
    }
  })

  it('responds 428 to a change without a required condition, and does not resolve the revision', async () => {
    const { put, state, app } = appWith(5, true)
    for (const headers of [
      {},
      { 'if-none-match': '"4"' },
      { 'if-unmodified-since': 'Mon, 07 Nov 1994 08:49:37 GMT' },
    ]) {
      const { status } = await put(headers as Record<string, string>)
      assert.equal(status, 428, JSON.stringify(headers))
    }
    assert.deepEqual([state.asked, state.put], [0, 0])
    const { status } = await put({ 'if-match': '"5"' })
    const read = await sendRequest(app, '/docs/7')
    const head = await sendRequest(app, '/docs/7', { method: 'HEAD' })
    assert.deepEqual([status, read.status, head.status], [200, 200, 200])
  })

  it('accepts an ETag with the suffix of a proxy that compresses', async () => {
    const { app, put, state } = appWith('5-br')
    for (const tag of ['"5-br"', '"5-br-gzip"', '"5-br-br"', '"5-br-zstd"']) {
      assert.equal((await put({ 'if-match': tag })).status, 200, tag)
    }
    for (const tag of ['"5"', '"5-gzip"', '"5-br-deflate"', '"5-br-gzip-gzip"', '"-gzip"']) {
      assert.equal((await put({ 'if-match': tag })).status, 412, tag)
    }
    assert.equal(state.put, 4)
    const read = await sendRequest(app, '/docs/7', { headers: { 'if-none-match': '"5-br-gzip"' } })
    assert.deepEqual([read.status, read.headers.get('etag')], [304, '"5-br"'])
    const changed = await sendRequest(app, '/docs/7', { headers: { 'if-none-match': '"5-gzip"' } })
    assert.equal(changed.status, 200)
  })

  it('says in the 412 that the ETag is weak', async () => {
    const { app, put } = appWith(5)
    const IS_WEAK = /is weak, or a proxy has changed it/
    assert.match(JSON.stringify((await put({ 'if-match': 'W/"5"' })).body), IS_WEAK)
    assert.match(JSON.stringify((await put({ 'if-match': '"4", W/"5-gzip"' })).body), IS_WEAK)
    assert.match(JSON.stringify((await put({ 'if-match': 'W/"4"' })).body), /The resource has changed/)
    const made = await put({ 'if-match': '"5"', 'if-none-match': '"5"' })
    assert.match(JSON.stringify(made.body), /The resource has changed/)
    for (const [tag, detail] of [
      ['W/"5"', IS_WEAK],
      ['"4"', /This resource has changed/],
    ] as const) {
      const read = await sendRequest(app, '/docs/7', { headers: { 'if-match': tag } })
      assert.equal(read.status, 412)
      assert.match(JSON.stringify(read.body), detail)
    }
  })

  it('accepts the weak form of its revision with weak: true', async () => {
    const { put, state } = appWith(5, true, true)
    for (const tag of ['W/"5"', '"5"', 'W/"5-gzip"']) assert.equal((await put({ 'if-match': tag })).status, 200, tag)
    for (const tag of ['W/"4"', '"4"']) assert.equal((await put({ 'if-match': tag })).status, 412, tag)
    assert.equal((await put({})).status, 428)
    assert.equal(state.put, 3)
  })

  it('sends the revision as ETag to GET, and responds 304 if it matches If-None-Match', async () => {
    const { app } = appWith(5)
    const { headers } = await sendRequest(app, '/docs/7')
    assert.equal(headers.get('etag'), '"5"')
    const again = await sendRequest(app, '/docs/7', { headers: { 'if-none-match': '"5"' } })
    assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', '"5"'])
  })

  it('formats numbers, strings and dates as ETags that match in If-Match', async () => {
    const revisions: readonly Revision[] = [
      7,
      7n,
      '7 "a";br%é',
      new Date(0),
      Promise.resolve('later') as unknown as string,
    ]
    const tags: (string | null)[] = []
    for (const revision of revisions) {
      const { put, app } = appWith(revision)
      const { headers } = await sendRequest(app, '/docs/7')
      const etag = headers.get('etag')
      tags.push(etag)
      assert.equal((await put({ 'if-match': etag ?? '' })).status, 200)
    }
    assert.deepEqual(tags, ['"7"', '"7"', '"7%20%22a%22%3Bbr%25%C3%A9"', '"1970-01-01T00:00:00.000Z"', '"later"'])
  })

  it('responds 500 if it returns an object that is not a Date', async () => {
    const { put } = appWith({} as unknown as string)
    assert.equal((await put({ 'if-match': '"1"' })).status, 500)
  })

  it('runs after all guards, in any order of "uses"', async () => {
    const order: string[] = []
    const revision = precondition({}, () => void order.push('revision'))
    const user = bearer((token) => order.push('user') > 0 && token === 'good')
    const later = provide({}, () => void order.push('later'))
    class Doc extends Route {
      static readonly put = this.contract({ uses: { later, revision, user } })
      put() {}
    }
    const app = createUntypedApp({ routes: { a: group({ uses: { revision }, routes: { Doc } }) } })
    const refused = await sendRequest(app, '/doc', { method: 'PUT', headers: { authorization: 'Bearer bad' } })
    assert.deepEqual([refused.status, order.splice(0)], [401, ['user']])
    await sendRequest(app, '/doc', { method: 'PUT', headers: { authorization: 'Bearer good' } })
    assert.deepEqual(order, ['user', 'revision', 'later'])
  })

  it('documents 412 and 428, and can be overridden in a test', async () => {
    const revision = precondition({ errors: [404] }, (): number => 1, { required: true })
    const named = precondition({ errors: { 412: 'Read it again' } }, () => 1)
    class Doc extends Route {
      static readonly put = this.contract({ uses: { revision }, returns: z.object({ seen: z.number() }) })
      put({ revision }: Input<typeof Doc.put>) {
        return { seen: revision }
      }
      static readonly patch = this.contract({ uses: { named } })
      patch() {}
      static readonly delete = this.contract({ uses: { revision } })
      delete() {}
    }
    class Draft extends Route {
      static readonly delete = this.contract({ uses: { named } })
      delete() {}
    }
    const app = createUntypedApp({ routes: { Doc, Draft } })
    const { put, patch, delete: removal } = app.openapi().paths['/doc'] ?? {}
    const conditionsOf = (operation: typeof put) => operation?.parameters?.map(({ name, required }) => [name, required])
    assert.deepEqual(conditionsOf(removal), [['If-Match', true]])
    assert.deepEqual(conditionsOf(app.openapi().paths['/draft']?.['delete']), [['If-Match', undefined]])
    assert.deepEqual(conditionsOf(put), [
      ['If-Match', undefined],
      ['If-None-Match', undefined],
    ])
    assert.deepEqual(Object.keys(put?.responses ?? {}), ['200', '404', '406', '412', '428', 'default'])
    assert.match(JSON.stringify(put?.parameters), /"If-Match".*428 if missing.*"If-None-Match"/)
    assert.match(JSON.stringify(patch?.responses), /Read it again/)
    assert.doesNotMatch(JSON.stringify(patch?.parameters), /428/)
    await using test = await testApp(app)
    const { status } = await test.fetch('/doc', json({}, 'PUT'))
    assert.equal(status, 428)
    await using replaced = await testApp(app, { override: [override(revision, () => 9)] })
    const answer = await replaced.fetch('/doc', { method: 'PUT' })
    assert.deepEqual(await answer.json(), { seen: 9 })
  })

  it('rejects invalid needs, functions, options, and providers that read the raw body', () => {
    const loose = precondition as unknown as (...given: readonly unknown[]) => unknown
    const give = (): number => 1
    assertSetupError(() => loose(1, give), 'OPTION_INVALID', 'precondition({ … }')
    assertSetupError(() => loose({}, 1), 'OPTION_INVALID', 'the argument "resolve" of precondition()')
    assertSetupError(() => loose({ rawBody: true }, give), 'OPTION_INVALID', '"rawBody"')
    assertSetupError(() => loose({ security: { type: 'http' } }, give), 'OPTION_INVALID', '"security"')
    assertSetupError(() => loose({ query: 1 }, give), 'OPTION_INVALID', '"query"')
    assertSetupError(() => loose({ other: 1 }, give), 'OPTION_INVALID', '"other"')
    assertSetupError(() => loose({}, give, { require: true }), 'OPTION_INVALID', 'precondition()')
    assertSetupError(() => loose({}, give, { required: 1 }), 'OPTION_INVALID', 'precondition()')
    assertSetupError(() => loose({}, give, { weak: 1 }), 'OPTION_INVALID', '"weak"')
    const raw = provide({ rawBody: true }, () => 1)
    const revision = precondition({ uses: { raw } }, give)
    class Doc extends Route {
      static readonly put = this.contract({ uses: { revision } })
      put() {}
    }
    assertSetupError(() => createUntypedApp({ routes: { Doc } }), 'USES_INVALID', 'rawBody', 'precondition')
  })
})
