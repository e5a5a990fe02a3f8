import assert from 'node:assert/strict'
import { testApp } from 'verbena/testing'
import type { HiddenTests } from '../hidden-tests.js'

export const hidden: HiddenTests = {
  async 'returns a user'({ app }) {
    await using test = await testApp(app)
    const response = await test.fetch('/users/1')
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(response.headers.get('cache-control'), 'max-age=60')
    assert.deepEqual(await response.json(), { id: '1', name: 'Ada' })
  },

  async 'does not find other users'({ app }) {
    await using test = await testApp(app)
    assert.equal((await test.fetch('/users/2')).status, 404)
  },
}
