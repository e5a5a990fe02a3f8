/** The document of the example, character by character. `UPDATE_SNAPSHOTS=1` writes it again. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { usersApp } from '../../examples/users/app.js'
import { openDatabase } from '../../examples/users/store.js'
import { validateDocument } from '#test/openapi.js'

const FILE = 'test/openapi/golden/users.json'

describe('openapi: document of the users example', () => {
  it('matches the golden file', async () => {
    const text = `${JSON.stringify(usersApp(await openDatabase()).openapi(), null, 2)}\n`
    if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(FILE, text)
    assert.equal(text, readFileSync(FILE, 'utf8'), `${FILE} differs; UPDATE_SNAPSHOTS=1 writes it anew`)
  })

  it('passes two OpenAPI validators', async () => {
    assert.deepEqual(await validateDocument(usersApp(await openDatabase()).openapi()), [])
  })
})
