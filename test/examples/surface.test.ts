/** `surface()` of the examples and of Conduit, which have no code for it. Files are written with `UPDATE=1`. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { App } from 'verbena'
import { surface, surfaceFields } from 'verbena/prove'
import { createConduit } from '#test/conduit.js'
import { chatApp } from '../../examples/chat/app.js'
import { libraryApp } from '../../examples/library/src/app.js'
import { usersApp } from '../../examples/users/app.js'
import { openDatabase } from '../../examples/users/store.js'

/** Compares a surface with its file, as a user does. */
function assertSame(name: string, app: App): void {
  const file = new URL(`../fixtures/surface/${name}.txt`, import.meta.url)
  if (process.env['UPDATE'] === '1') writeFileSync(file, surface(app))
  assert.equal(surface(app), readFileSync(file, 'utf8'))
}

describe('surface() of examples', () => {
  it('is the file of users', async () => {
    assertSame('users', usersApp(await openDatabase()))
  })

  it('is the file of chat, with an upgrade, a session and public endpoints', () => {
    assertSame('chat', chatApp({ logger: false, signals: false }))
  })

  it('is the file of library', () => {
    assertSame('library', libraryApp())
  })

  it('is the file of Conduit', () => {
    assertSame('conduit', createConduit())
  })

  it('has no line over 120 columns, no place in a file, and nothing after the last line', () => {
    for (const app of [chatApp(), libraryApp(), createConduit()]) {
      assert.match(surface(app), /^verbena surface 1\n(?:.{0,120}\n)+$/)
      assert.doesNotMatch(surface(app), /\.ts|:\d+$/m)
    }
  })

  it('has one mark of Conduit that leaves by four endpoints', () => {
    const email = surfaceFields(createConduit()).find(({ field }) => field === 'email')
    assert.deepEqual(email?.marks, ['personal'])
    assert.deepEqual(
      email?.leaves.map(({ by, status, path, for: access }) => [by, status, path, ...access]),
      [
        ['GET /api/user', 200, 'user.email', 'guard user of class UserRoute: http Token'],
        ['PUT /api/user', 200, 'user.email', 'guard user of class UserRoute: http Token'],
        ['POST /api/users', 201, 'user.email', 'public by contract Users.post'],
        ['POST /api/users/login', 200, 'user.email', 'public by contract SignIn.post'],
      ],
    )
  })
})
