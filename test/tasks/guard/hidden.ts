import assert from 'node:assert/strict'
import { testApp } from 'verbena/testing'
import { postJson, type HiddenTests } from '../hidden-tests.js'

const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` })

export const hidden: HiddenTests = {
  async 'adds a note of an editor'({ app }) {
    await using test = await testApp(app)
    const response = await test.fetch('/notes', postJson({ text: 'Buy tea' }, bearer('a1b2')))
    assert.equal(response.status, 201)
    assert.deepEqual(await response.json(), { text: 'Buy tea', author: 'ada' })
    assert.equal((await test.fetch('/notes', postJson({ text: '' }, bearer('a1b2')))).status, 422)
  },

  async 'rejects other clients'({ app }) {
    await using test = await testApp(app)
    const missing = await test.fetch('/notes', postJson({ text: 'Buy tea' }))
    assert.equal(missing.status, 401)
    assert.match(missing.headers.get('www-authenticate') ?? '', /^Bearer/)
    assert.equal((await test.fetch('/notes', postJson({ text: 'Buy tea' }, bearer('none')))).status, 401)
    assert.equal((await test.fetch('/notes', postJson({ text: 'Buy tea' }, bearer('c3d4')))).status, 403)
  },

  async 'rejects them before it reads the body'({ app }) {
    await using test = await testApp(app)
    const statuses = []
    for (const headers of [{}, bearer('none'), bearer('c3d4')]) {
      statuses.push((await test.fetch('/notes', postJson({ text: 7 }, headers))).status)
    }
    assert.deepEqual(statuses, [401, 401, 403], `Clients without access got ${statuses.join(', ')} for an invalid body`)
  },

  async 'describes the token'({ app }) {
    await using test = await testApp(app)
    const document = Object(await (await test.fetch('/openapi.json')).json())
    assert.equal(document.paths['/notes'].post.security?.length, 1, 'The document does not require a token')
  },
}
