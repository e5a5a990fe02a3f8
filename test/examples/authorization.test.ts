// own process: it changes environment variables, because proofs refuse to run in production
/** `authorization()` of the examples and of Conduit: no finding, and a file for each. Files are written with `UPDATE=1`. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { isUpdate, MatrixFile } from '#test/proof.js'
import type { App } from 'verbena'
import type { ActorOption, AuthorizationOptions } from 'verbena/prove'
import { createConduit } from '#test/conduit.js'
import { chatApp } from '../../examples/chat/app.js'
import { libraryApp } from '../../examples/library/src/app.js'
import { openShop } from '../../examples/users/shop.js'
import { troubledApp } from '../../examples/users/troubles.js'
import { usersApp } from '../../examples/users/app.js'
import { openDatabase } from '../../examples/users/store.js'

/** Runs the proof of an app without findings, and compares its file with the fixture. */
async function proveExample<R, S>(
  name: string,
  app: App<R, S>,
  options: Pick<AuthorizationOptions<S>, 'actors'>,
): Promise<number> {
  const fixture = new URL(`../fixtures/authorization/${name}.txt`, import.meta.url)
  using file = new MatrixFile()
  const { text, denials } = await file.update(app, options)
  if (isUpdate) writeFileSync(fixture, text)
  assert.equal(text, readFileSync(fixture, 'utf8'))
  return denials.tried
}

/** Runs the proof with objects, without findings. */
async function proveObjects<R, S>(
  app: App<R, S>,
  options: Pick<AuthorizationOptions<S>, 'actors' | 'objects'>,
): Promise<readonly string[]> {
  using file = new MatrixFile()
  return (await file.update(app, options)).created
}

describe('authorization() of examples', () => {
  it('has no finding in users', async () => {
    await proveExample('users', usersApp(await openDatabase()), { actors: { nobody: {} } })
  })

  it('has no finding in the shop of users, whose methods fail', async () => {
    await proveExample('shop', troubledApp(await openDatabase(), await openShop()), { actors: { nobody: {} } })
  })

  it('has no finding in chat, with a session and an upgrade', async () => {
    const ada: ActorOption = ({ fetch }) => {
      const headers = { 'content-type': 'application/json' }
      return fetch('/guests', { method: 'POST', headers, body: JSON.stringify({ name: 'ada' }) })
    }
    const app = chatApp({ logger: false, signals: false })
    assert.equal(await proveExample('chat', app, { actors: { ada, nobody: {} } }), 5)
  })

  it('has no finding in library', async () => {
    await proveExample('library', libraryApp(), { actors: { nobody: {} } })
  })

  it('has no finding in Conduit', async () => {
    const ada = { headers: { authorization: 'Token a1b2' } }
    assert.equal(await proveExample('conduit', createConduit(), { actors: { ada, nobody: {} } }), 84)
  })
})

describe('authorization() of examples: objects', () => {
  it('has no finding in users, which all actors share', async () => {
    const create = { as: 'ada', call: 'POST /user-profiles', id: 'body.id' } as const
    const profiles = { create, bind: { id: 'body.id' }, shared: ['GET /user-profiles', 'GET /users/{id}'] } as const
    const actors = { ada: {}, eve: {} }
    const created = await proveObjects(usersApp(await openDatabase()), { actors, objects: { profiles } })
    assert.deepEqual(created, ['profiles 3, by ada with POST /user-profiles'])
  })

  it('has no finding in library, whose books all actors share', async () => {
    const create = { as: 'ada', call: 'POST /v1/books', id: 'body.id' } as const
    const ofOne = ['GET', 'PUT', 'DELETE'].map((method) => `${method} /v1/books/{book}`)
    const ofLoans = ['GET', 'POST'].map((method) => `${method} /v1/books/{book}/loans`)
    const books = { create, shared: ['GET /v1/books', ...ofOne, ...ofLoans] }
    const created = await proveObjects(libraryApp(), { actors: { ada: {}, eve: {} }, objects: { books } })
    assert.equal(created.length, 1)
  })

  it('has no finding in the shop, whose orders all actors share', async () => {
    const body = { user: '1', lines: [{ sku: 'tea', quantity: 1 }] }
    const create = { as: 'ada', call: 'POST /orders', body, id: 'location' } as const
    const orders = { create, shared: ['GET /orders/{id}', 'GET /orders/{id}/receipt'] }
    const app = troubledApp(await openDatabase(), await openShop())
    const created = await proveObjects(app, { actors: { ada: {}, eve: {} }, objects: { orders } })
    assert.equal(created.length, 1)
  })

  it('has no finding in Conduit, whose articles and comments are public, and only their author changes them', async () => {
    const article = '/api/articles/{slug}'
    const comments = `${article}/comments`
    const body = { article: { title: 'Tea', description: 'About tea', body: 'At four' } }
    const ofAll = ['GET /api/articles', `GET ${article}`, `GET ${comments}`, `POST ${comments}`]
    const objects: AuthorizationOptions['objects'] = {
      articles: { create: { as: 'ada', call: 'POST /api/articles', body, id: 'body.article.slug' }, shared: ofAll },
      comments: {
        create: { as: 'ada', call: `POST ${comments}`, params: { slug: 'tea-1' }, id: 'body.comment.id' },
        shared: [`GET ${comments}`],
      },
    }
    const actors = {
      ada: { headers: { authorization: 'Token a1b2' } },
      eve: { headers: { authorization: 'Token c3d4' } },
      nobody: {},
    }
    assert.deepEqual(await proveObjects(createConduit(), { actors, objects }), [
      'articles tea-1, by ada with POST /api/articles',
      `comments 1, by ada with POST ${comments}`,
    ])
  })
})
