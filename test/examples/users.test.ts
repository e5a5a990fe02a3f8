/** The users example, tested in process with `testApp`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { invoke, testApp } from 'verbena/testing'
import { UserById, usersApp } from '../../examples/users/app.js'
import { openDatabase } from '../../examples/users/store.js'

const app = usersApp(await openDatabase())

/** Creates a test app with a separate database. */
async function users() {
  return testApp(app, { services: { db: await openDatabase() } })
}

describe('examples/users', () => {
  it('has the endpoints listed in its comments', () => {
    assert.deepEqual(
      app.routes().map(({ method, path }) => `${method} ${path}`),
      ['GET /user-profiles', 'POST /user-profiles', 'GET /users/{id}', 'GET /home'],
    )
  })

  it('has no findings', () => {
    assert.deepEqual(app.check(), [])
  })

  it('never sends undeclared properties', async () => {
    await using test = await users()
    for (const path of ['/user-profiles', '/users/1']) {
      const response = await test.fetch(path)
      assert.equal(response.status, 200)
      assert.doesNotMatch(await response.text(), /passwordHash|scrypt/)
    }
  })

  it('limits the number of users', async () => {
    await using test = await users()
    const { body } = await test.api('/user-profiles').get({ query: { limit: 1 } })
    assert.deepEqual(body, [{ id: '1', name: 'Ada', age: 36 }])
    const { status } = await test.api('/user-profiles').get({ query: { limit: 0 } })
    assert.equal(status, 422)
  })

  it('creates a user at the URL in Location', async () => {
    await using test = await users()
    const created = await test.api('/user-profiles').post({ body: { name: 'Lin' } })
    assert.ok(created.ok)
    assert.deepEqual([created.status, created.headers.get('location')], [201, `/users/${created.body.id}`])
    const { body } = await test.api('/users/{id}').get({ params: { id: created.body.id } })
    assert.deepEqual(body, { id: '3', name: 'Lin' })
  })

  it('responds 404 to an unknown user', async () => {
    await using test = await users()
    const { ok, body } = await test.api('/users/{id}').get({ params: { id: '7' } })
    assert.ok(!ok)
    assert.deepEqual([body.status, body.detail], [404, 'No user 7'])
  })

  it('reads a user by invoking a single method', async () => {
    const services = { db: await openDatabase() }
    const user = await invoke(UserById, 'get', { params: { id: '2' }, services })
    assert.equal(Object(user).name, 'Grace')
  })

  it('does not serve helper methods', async () => {
    await using test = await users()
    assert.equal((await test.fetch('/get_by_id')).status, 404)
    assert.equal((await test.fetch('/user-profiles/get_by_id')).status, 404)
  })

  it('has no documented response that these tests missed', async () => {
    const { api, report } = await users()
    await api('/home').get()
    assert.deepEqual(report(), [])
  })
})
