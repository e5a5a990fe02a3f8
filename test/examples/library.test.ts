/** The library example: ten endpoints on five paths, in files. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { testApp } from 'verbena/testing'
import { libraryApp } from '../../examples/library/src/app.js'
import { Catalog } from '../../examples/library/src/catalog.js'
import { programArguments } from '#test/repository.js'

const ENDPOINTS = [
  'GET /v1/books',
  'POST /v1/books',
  'GET /v1/books/{book}',
  'PUT /v1/books/{book}',
  'DELETE /v1/books/{book}',
  'GET /v1/books/{book}/loans',
  'POST /v1/books/{book}/loans',
  'GET /v1/loans/{loan}',
  'DELETE /v1/loans/{loan}',
  'GET /v1/members',
]
const book = { title: 'Emma', author: 'Jane Austen' }

/** Creates a test app with a separate catalog. */
async function library() {
  return testApp(libraryApp(), { services: { catalog: new Catalog([{ id: 'grace', name: 'Grace' }]) } })
}

describe('examples/library', () => {
  it('has ten endpoints on five paths', () => {
    const routes = libraryApp().routes()
    const paths = new Set(routes.map(({ path }) => path).filter((path) => path.startsWith('/v1')))
    assert.equal(paths.size, 5)
    assert.deepEqual(
      routes.map(({ method, path }) => `${method} ${path}`).filter((endpoint) => endpoint.includes('/v1')),
      ENDPOINTS,
    )
  })

  it('has no findings', () => {
    assert.deepEqual(libraryApp().check(), [])
  })

  it('adds, changes, lends and removes a book', async () => {
    await using test = await library()
    const { api } = test
    const created = await api('/v1/books').post({ body: book })
    assert.ok(created.ok)
    assert.equal(created.headers.get('location'), `/v1/books/${created.body.id}`)
    const params = { book: created.body.id }
    const changed = await api('/v1/books/{book}').put({ params, body: { ...book, title: 'Persuasion' } })
    assert.ok(changed.ok)
    assert.deepEqual((await api('/v1/books').get()).body, [{ ...book, id: params.book, title: 'Persuasion' }])

    assert.equal((await api('/v1/books/{book}/loans').post({ params, body: { member: 'ada' } })).status, 409)
    const lent = await api('/v1/books/{book}/loans').post({ params, body: { member: 'grace' } })
    assert.ok(lent.ok)
    assert.deepEqual((await api('/v1/books/{book}/loans').get({ params })).body, [lent.body])
    assert.equal((await api('/v1/books/{book}').delete({ params })).status, 409)
    assert.equal((await api('/v1/loans/{loan}').delete({ params: { loan: lent.body.id } })).status, 204)
    assert.equal((await api('/v1/loans/{loan}').get({ params: { loan: lent.body.id } })).status, 404)
    assert.equal((await api('/v1/books/{book}').delete({ params })).status, 204)
    assert.equal((await api('/v1/books/{book}').get({ params })).status, 404)
  })

  it('lists members in pages', async () => {
    await using test = await library()
    assert.deepEqual((await test.api('/v1/members').get()).body, [{ id: 'grace', name: 'Grace' }])
    assert.equal((await test.api('/v1/members').get({ query: { limit: 0 } })).status, 422)
  })

  it('starts and stops as a process', async () => {
    const server = spawn(process.execPath, programArguments('examples/library/src/server.ts'), {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(server, 'exit')
    let url: string | undefined
    for await (const line of createInterface(server.stdout)) {
      url ??= /^The library listens on (?<url>.*)$/.exec(line)?.groups?.['url']
      if (url !== undefined && server.exitCode === null && !server.killed) {
        assert.deepEqual(await (await fetch(url)).json(), [])
        server.kill('SIGTERM')
      }
    }
    assert.notEqual(url, undefined)
    assert.deepEqual(await ended, [0, null])
  })

  it('matches the code in the guide', () => {
    const guide = readFileSync('docs/guides/project-layout.md', 'utf8')
    const shown = [...guide.matchAll(/^\[`(?<file>src\/[^`]+)`\]\([^)]+\):\n\n```typescript\n(?<code>.*?)^```/gms)]
    assert.ok(shown.length >= 5)
    for (const { groups } of shown) {
      assert.equal(groups?.['code'], readFileSync(`examples/library/${groups?.['file']}`, 'utf8'), groups?.['file'])
    }
  })
})
