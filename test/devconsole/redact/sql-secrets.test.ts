import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hideSqlSecrets } from '#src/devconsole/redact/sql-secrets.js'
import { assertLinear } from '#test/processor-time.js'

const isSecret = (name: string): boolean => /^(?:password|token)/i.test(name)

describe('hideSqlSecrets()', () => {
  const params: readonly (readonly [text: string, secret: readonly number[]])[] = [
    ['select * from users where id = $1 and password = $2', [1]],
    ['select * from users where password = $2 and id = $1', [1]],
    ['update users set "password" = crypt($1, $2), name = $3 where id = $4', [0, 1]],
    ['update users set password = ?, name = ? where token <> ?', [0, 2]],
    ['select * from users where u.password = u.token and id = $1', []],
    ['select * from sessions where token in ($1, $2) or id = $3', [0, 1]],
    ['insert into users (name, password, age) values ($1, $2, $3), ($4, $5, $6)', [1, 4]],
    ['insert into users (name, password) values (upper($1), crypt($2, gen_salt($3)))', [1, 2]],
    ['insert into users values ($1, $2)', []],
    ['select * from users where `token` = :token', [0]],
    ['call sign_in(@password)', [0]],
    ['select 1 -- password = $1\n where id = $1 /* token = $1', []],
    ["select 'password = $1' where id = $1", []],
    ['with t as (select id from users where password = $1 and name = $2) select * from t where id = $3', [0]],
  ]
  for (const [text, secret] of params) {
    it(`finds the parameters of secret columns in: ${text.replaceAll('\n', ' ')}`, () => {
      const hidden = hideSqlSecrets(text, isSecret)
      assert.deepEqual([[...hidden.secretParams].toSorted(), hidden.text], [secret, text])
    })
  }

  it('replaces literals of secret columns, and keeps all others', () => {
    const hide = (text: string): string => hideSqlSecrets(text, isSecret).text
    assert.equal(
      hide("select * from users where password = 'it''s' and name = 'Ada' and token like 12"),
      "select * from users where password = 'redacted' and name = 'Ada' and token like 'redacted'",
    )
    assert.equal(
      hide("insert into users (name, password) values ('Ada', 'x'), ('Bob', 'y')"),
      "insert into users (name, password) values ('Ada', 'redacted'), ('Bob', 'redacted')",
    )
    assert.equal(hide("update users set password = 'cut off"), "update users set password = 'redacted'")
  })

  it('takes linear time for hostile text', () => {
    for (const piece of ["'", '"', '/*', '--', '(', '$1', "password = '"]) {
      assertLinear(
        20_000,
        (size) => {
          const text = piece.repeat(size)
          return () => void hideSqlSecrets(text, isSecret)
        },
        piece,
      )
    }
  })
})
