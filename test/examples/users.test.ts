/** The users example, in process: what a reader may expect of it. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { App } from 'verbena'
import { usersApp } from '../../examples/users/app.js'
import { openDatabase } from '../../examples/users/store.js'

const JSON_TYPE = { 'content-type': 'application/json' }

describe('examples/users', () => {
  let app: App

  beforeEach(async () => {
    app = usersApp(await openDatabase())
  })

  function call(path: string, init: RequestInit = {}): Promise<Response> {
    return app.fetch(new Request(`http://localhost${path}`, init))
  }

  it('has the endpoints that its comments name', () => {
    assert.deepEqual(
      app.routes().map(({ method, path }) => `${method} ${path}`),
      ['GET /user-profiles', 'POST /user-profiles', 'GET /users/{id}', 'GET /home'],
    )
  })

  it('has nothing to be told', () => {
    assert.deepEqual(app.check(), [])
  })

  it('never sends what the schema does not describe', async () => {
    for (const path of ['/user-profiles', '/users/1']) {
      const response = await call(path)
      assert.equal(response.status, 200)
      assert.doesNotMatch(await response.text(), /passwordHash|scrypt/)
    }
  })

  it('pages', async () => {
    assert.deepEqual(await (await call('/user-profiles?limit=1')).json(), [{ id: '1', name: 'Ada', age: 36 }])
    assert.equal((await call('/user-profiles?limit=0')).status, 422)
  })

  it('creates a user where `Location` says', async () => {
    const created = await call('/user-profiles', { method: 'POST', headers: JSON_TYPE, body: '{"name":"Lin"}' })
    assert.equal(created.status, 201)
    const location = created.headers.get('location')
    assert.equal(location, '/users/3')
    assert.deepEqual(await (await call(location)).json(), { id: '3', name: 'Lin' })
  })

  it('makes no endpoint of a helper', async () => {
    assert.equal((await call('/get_by_id')).status, 404)
    assert.equal((await call('/user-profiles/get_by_id')).status, 404)
  })
})
