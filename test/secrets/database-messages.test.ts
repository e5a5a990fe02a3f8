import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hideDatabaseValues } from '#src/secrets/database-messages.js'
import { namesSecret } from '#src/secrets/secret-names.js'
import { Secrets } from '#src/secrets/secrets.js'
import { createDatabase } from '#test/postgres.js'
import { assertLinear } from '#test/processor-time.js'

/** Messages of databases, each without its secret. */
const HIDDEN: readonly (readonly [message: string, hidden: string])[] = [
  ['Key (token)=(hunter2) already exists.', 'Key (token)=(redacted) already exists.'],
  ['Key ("resetToken")=(hunter2) already exists.', 'Key ("resetToken")=(redacted) already exists.'],
  ['Key (email, token)=(a@b, hunter2) already exists.', 'Key (email, token)=(redacted) already exists.'],
  ['Key (lower(token::text))=(hunter2) already exists.', 'Key (lower(token::text))=(redacted) already exists.'],
  ['Key (token)=(hunter2) is not present in table "t".', 'Key (token)=(redacted) is not present in table "t".'],
  [
    'Key (token)=(hunter2) is still referenced from table "t".',
    'Key (token)=(redacted) is still referenced from table "t".',
  ],
  [
    'Key (token)=(hunter2) conflicts with existing key (token)=(hunter2).',
    'Key (token)=(redacted) conflicts with existing key (token)=(redacted).',
  ],
  ['Key (token)=(a)\n) is b; hunter2) already exists.', 'Key (token)=(redacted) already exists.'],
  ['Key (token)=(hunter2 cut off', 'Key (token)=(redacted'],
  ['Failing row contains (1, (hunter2), null).', 'Failing row contains (redacted).'],
  ["Duplicate entry 'hunter2' for key 'users.token'", "Duplicate entry 'redacted' for key 'users.token'"],
  ["Duplicate entry 'it's hunter2' for key 'token_unique'", "Duplicate entry 'redacted' for key 'token_unique'"],
  ["Duplicate entry 'hunter2 cut off", "Duplicate entry 'redacted"],
  ['The duplicate key value is (hunter2).', 'The duplicate key value is (redacted).'],
]
const SHOWN = [
  'Key (email)=(ada@example.org) already exists.',
  "Duplicate entry 'ada' for key 'users.name'",
  'The key (of the house) is lost',
  'The token of f(a)=(b) is not present',
  'duplicate key value violates unique constraint "tokens_pkey"',
]

describe('hideDatabaseValues()', () => {
  for (const [message, hidden] of HIDDEN) {
    it(`hides the value in: ${message.replaceAll('\n', ' ')}`, () => {
      assert.equal(hideDatabaseValues(message, namesSecret), hidden)
      // The log and the console use this class.
      assert.equal(new Secrets().hide(message), hidden)
    })
  }

  it('hides the values in errors of PostgreSQL', async () => {
    const database = await createDatabase()
    await database.exec(`create table tokens (id int primary key, token text not null unique, note text not null)`)
    await database.exec(`create table links (token text references tokens (token))`)
    await database.exec("insert into tokens values (1, 'hunter2', 'n'); insert into links values ('hunter2')")
    for (const statement of [
      "insert into tokens values (2, 'hunter2', 'n')",
      "insert into tokens values (2, 'hunter2 (3', null)",
      "insert into links values ('hunter2) is 4')",
      'delete from tokens',
    ]) {
      await assert.rejects(database.query(statement), (error) => {
        const detail: unknown = Reflect.get(Object(error), 'detail')
        assert.match(String(detail), /hunter2/)
        assert.doesNotMatch(hideDatabaseValues(String(detail), namesSecret), /hunter2/)
        return true
      })
    }
  })

  it('keeps keys of public columns and other messages', () => {
    for (const message of SHOWN) assert.equal(hideDatabaseValues(message, namesSecret), message)
  })

  it('takes linear time for hostile text', () => {
    for (const piece of [
      'Key (',
      'key (token)=(',
      "duplicate entry '",
      "' for key '",
      'failing row contains (',
      ').',
    ]) {
      assertLinear(
        256_000 / piece.length,
        (size) => {
          const text = piece.repeat(size)
          return () => void hideDatabaseValues(text, namesSecret)
        },
        piece,
      )
    }
  })
})
