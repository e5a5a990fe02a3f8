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
