import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hideSqlSecrets } from '#src/devconsole/redact/sql-secrets.js'
import { assertLinear } from '#test/processor-time.js'

const isSecret = (name: string): boolean => /^(?:password|token)/i.test(name)

describe('hideSqlSecrets()', () => {
  const params: (readonly [text: string, secret: readonly number[]])[] = [
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
  params.push(
    ['select * from users where password = ?2 and name = ?1', [1]],
    ['select * from users where name = ?3 and password = ?', [3]],
    ['select * from users where name = $name and token = $token', [1]],
    ['select id::text, name from users where id = ? and password = ?', [1]],
    ['select * from users where token between $1 and $2 and id = $3', [0, 1]],
    ['select * from users where token is not distinct from $1 and id = $2', [0]],
    ['select * from users where data->>$1 = $2 and tags[1] = $3', []],
    ['select * from users where name = $1 && password = $2 limit $3 offset $4', [1]],
    ['select * from users where (password, name) = ($1, $2) and id = $3', [0, 1]],
    ['update users set (name, password) = ($1, $2), age = $3 where id = $4', [0, 1]],
    ['update users set name = $1 where password is null and id = $2', []],
    ['select * from users where name = $1 order by password = $2', [1]],
    ['insert into users (name, password) values ($1, $2); select * from users where name = $3', [1]],
  )
  for (const [text, secret] of params) {
    it(`finds the parameters of secret columns in: ${text.replaceAll('\n', ' ')}`, () => {
      const hidden = hideSqlSecrets(text, isSecret)
      assert.deepEqual([[...hidden.secretParams].toSorted(), hidden.text], [secret, text])
    })
  }

  /** Statements with a secret name, in which some parameter has no column. The number of parameters follows. */
  const unclear: readonly (readonly [text: string, count: number])[] = [
    ['insert into users (name, password) select $1, $2', 2],
    ['insert into users (name, password) select $1, $2 where not exists (select 1 from users where name = $3)', 3],
    ['insert into users (name, password) select * from unnest($1::text[], $2::text[])', 2],
    ['insert into users (name, password) select n.name, n.password from json_to_recordset($1) as n (name text)', 1],
    ['insert into users (password, name) values ?', 1],
    ['insert into users (name, password) values (?)', 1],
    ['insert into tokens values ($1, $2)', 2],
    ['with n (name, password) as (values ($1, $2)) insert into users select * from n', 2],
    ['with n as (select $1 as name, $2 as password) select * from n', 2],
    ['with a as (select id from b where id = $1), n as (select $2 as password) select * from n', 2],
    ['select name from users where id = $1 union select $2 as password', 2],
    [
      'merge into users u using (values ($1, $2)) as n (name, password) on u.name = n.name when not matched then insert (name, password) values (n.name, $3)',
      3,
    ],
    [
      'merge into users u using (select $1 as name, $2 as password) n on u.name = n.name when matched then update set password = n.password',
      2,
    ],
    ['update users set password = n.password, name = n.name from unnest($1, $2) as n (id, password) where id = $3', 3],
    ['select * from users where $1 = password', 1],
    ['select * from users where id = $1 and $2 = password', 2],
    ['select * from users where crypt($1, password) = password', 1],
    ['select * from users where $1 in (password, name)', 1],
    ['select * from users where data->>$1 = $2 and [password] = $3', 3],
    ["select jsonb_build_object('password', $1::text), $2", 2],
    ['select case when name = $1 then $2 end as password from users', 2],
    ['exec sign_in @name = $1, @password = $2', 2],
    ['select hash_password($1), $2', 2],
  ]
  for (const [text, count] of unclear) {
    it(`hides all parameters of: ${text}`, () => {
      const hidden = hideSqlSecrets(text, (name) => isSecret(name) || name === 'hash_password')
      // A parameter of a procedure also counts as a placeholder.
      const isProcedure = text.startsWith('exec')
      assert.equal(hidden.text, text)
      if (!isProcedure) assert.deepEqual([...hidden.secretParams].toSorted(), [...Array(count).keys()])
      else assert.ok(hidden.secretParams.size >= count)
    })
  }

  it('hides the parameters of a JSON value with a secret key', () => {
    for (const [text, secret] of [
      ["update users set data = jsonb_set(data, '{a,password}', $1), name = $2 where id = $3", [0]],
      ["update users set data = jsonb_set(data, array['password'], to_jsonb($1::text)) where id = $2", [0]],
      ["insert into users (id, data) values ($1, jsonb_build_object('password', $2))", [1]],
      ["update users set data = json_set(data, '$.password', ?), name = ? where id = ?", [0]],
    ] as const) {
      assert.deepEqual([...hideSqlSecrets(text, isSecret).secretParams].toSorted(), secret, text)
    }
  })

  it('hides all named parameters of a statement in which one has no column', () => {
    const { names } = hideSqlSecrets('insert into users (name, password) select :n, :p where :id = id', isSecret)
    assert.deepEqual(Object.fromEntries(names), { n: true, p: true, id: true })
  })

  const names: readonly (readonly [
    text: string,
    names: Readonly<Record<string, boolean>>,
    unnamed: readonly number[],
  ])[] = [
    ['select * from users where id = $id and password = $p', { id: false, p: true }, [1]],
    ['update users set password = :a where name = :b or token = :a', { a: true, b: false }, [0, 2]],
    ['insert into users (name, password) values (@n, @p)', { n: false, p: true }, [1]],
    ['select * from users where name = :x and id = :x and password = ?', { x: false }, [0, 2]],
    ['select * from users where id = ? and password = ? and name = ?3', {}, [1]],
  ]
  for (const [text, expected, unnamed] of names) {
    it(`finds the named parameters of secret columns in: ${text}`, () => {
      const { secretParams, names: found } = hideSqlSecrets(text, isSecret)
      assert.deepEqual([Object.fromEntries(found), [...secretParams].toSorted()], [expected, unnamed])
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

  /** Each text contains one secret or more, each with `hunter2`. */
  const literals: readonly (readonly [text: string, hidden: string])[] = [
    ['select 1 where password = $$hunter2$$ and id = 1', "select 1 where password = 'redacted' and id = 1"],
    ['update t set password = $a_1$hunter2 $$ x$a_1$, b = 2', "update t set password = 'redacted', b = 2"],
    [
      'insert into t (password, b) values ($q$hunter2$q$, $$b$$)',
      "insert into t (password, b) values ('redacted', $$b$$)",
    ],
    ['update t set password = $$hunter2 cut off', "update t set password = 'redacted'"],
    ["do $$ begin update t set password = 'hunter2'; end $$", "do $$ begin update t set password = 'redacted'; end $$"],
    [String.raw`update t set password = E'it\'s hunter2', b = 'c'`, "update t set password = 'redacted', b = 'c'"],
    [
      String.raw`update t set b = E'\'', password = 'hunter2'`,
      String.raw`update t set b = E'\'', password = 'redacted'`,
    ],
    // PostgreSQL and MySQL read different strings, and both are hidden.
    [String.raw`update t set password = 'it\'s hunter2', b = 1`, "update t set password = 'redacted'"],
    [
      String.raw`update t set b = 'C:\', password = 'hunter2'`,
      String.raw`update t set b = 'C:\', password = 'redacted'`,
    ],
    [
      String.raw`update t set b = 'a\'b', password = 'hunter2'`,
      String.raw`update t set b = 'a\'b', password = 'redacted'`,
    ],
    ["update t set password = N'hunter2', b = N'c'", "update t set password = N'redacted', b = N'c'"],
    ["update t set password = X'hunter2' where b = U&'c'", "update t set password = X'redacted' where b = U&'c'"],
    ['update `t` set `password` = "hunter2", `b` = "c"', 'update `t` set `password` = \'redacted\', `b` = "c"'],
    ['insert into t (b, password) values ("c", "hunter2")', 'insert into t (b, password) values ("c", \'redacted\')'],
    [String.raw`update t set password = "it\"s hunter2", b = "c"`, `update t set password = 'redacted', b = "c"`],
    [
      "select 1 /* /* */ ' */ from t where password = 'hunter2'",
      "select 1 /* /* */ ' */ from t where password = 'redacted'",
    ],
    ["select 1 /* /* */ from t where password = 'hunter2'", "select 1 /* /* */ from t where password = 'redacted'"],
    ["select 1 # don't\nfrom t where password = 'hunter2'", "select 1 # don't\nfrom t where password = 'redacted'"],
    ["select 5--1 from t where password = 'hunter2'", "select 5--1 from t where password = 'redacted'"],
    ["/*!40101 set password = 'hunter2' */", "/*!40101 set password = 'redacted' */"],
    ["update t set password[1] = 'hunter2'", "update t set password[1] = 'redacted'"],
    ['select 1 where password = any(array[123, 456])', "select 1 where password = any(array['redacted', 'redacted'])"],
    ["select 1 where password[i] = 'hunter2'", "select 1 where password[i] = 'redacted'"],
    ["select 1 where u.[password] = 'hunter2'", "select 1 where u.[password] = 'redacted'"],
    ["select 1 where [password] = 'hunter2'", "select 1 where [password] = 'redacted'"],
    ["select 1 where data->>'password' = 'hunter2'", "select 1 where data->>'password' = 'redacted'"],
    ["select 1 where data#>>'{a,token}' = 'hunter2'", "select 1 where data#>>'{a,token}' = 'redacted'"],
    ['select 1 where password = \'{"a":"hunter2"}\'', "select 1 where password = 'redacted'"],
    ["select sign_in(password => 'hunter2', b => 'c')", "select sign_in(password => 'redacted', b => 'c')"],
    ["create user ada password 'hunter2' valid until 'c'", "create user ada password 'redacted' valid until 'c'"],
    ["select 1 where password ~ 'hunter2' and b ~ 'c'", "select 1 where password ~ 'redacted' and b ~ 'c'"],
    [
      "insert into t (password, b) values ('hunter2', 'c') on conflict (b) do update set password = 'hunter2', b = 'c'",
      "insert into t (password, b) values ('redacted', 'c') on conflict (b) do update set password = 'redacted', b = 'c'",
    ],
  ]
  const withoutOperator: readonly (readonly [text: string, hidden: string])[] = [
    ["create user ada identified by 'hunter2'", "create user ada identified by 'redacted'"],
    ['create user ada identified by hunter2', "create user ada identified by 'redacted'"],
    ['alter user ada identified by "hunter2" account unlock', "alter user ada identified by 'redacted' account unlock"],
    [
      "create user ada identified with caching_sha2_password by 'hunter2'",
      "create user ada identified with caching_sha2_password by 'redacted'",
    ],
    ["set password for 'ada'@'localhost' = 'hunter2'", "set password for 'redacted'@'redacted' = 'redacted'"],
    ["exec sign_in @name = 'Ada', @password = 'hunter2'", "exec sign_in @name = 'Ada', @password = 'redacted'"],
    ["select 1 where 'hunter2' = password and b = 'c'", "select 1 where 'redacted' = password and b = 'c'"],
    ["insert into t (b, password) select 'c', 'hunter2'", "insert into t (b, password) select 'redacted', 'redacted'"],
    ["select 'hunter2' as password, interval '1 day'", "select 'redacted' as password, interval '1 day'"],
    [
      "select jsonb_build_object('name', 'Ada', 'password', 'hunter2')",
      "select jsonb_build_object('redacted', 'redacted', 'password', 'redacted')",
    ],
    [
      `update t set data = jsonb_set(data, '{password}', '"hunter2"'), b = 'c'`,
      "update t set data = jsonb_set(data, '{password}', 'redacted'), b = 'c'",
    ],
  ]
  for (const [text, hidden] of [...literals, ...withoutOperator]) {
    it(`hides the secret in: ${text.replaceAll('\n', ' ')}`, () => {
      assert.equal(hideSqlSecrets(text, isSecret).text, hidden)
    })
  }

  it('keeps quoted names, dollar quotes and JSON that contain no secret', () => {
    const texts = [
      'select * from users u where u.password = "u"."token" and "b" = $$c$$',
      'select "a" from users where password = $1 order by "token", "b"',
      "select '', '!' from t where name = '' and b = 'c'",
      "select * from t where data->>'b' = 'c' and d#>>'{a,b}' = 'e' and [b] = 'c'",
      String.raw`select * from t where path = 'C:\' and name = 'c'`,
    ]
    for (const text of texts) assert.equal(hideSqlSecrets(text, isSecret).text, text)
  })

  it('takes linear time for hostile text', () => {
    const pieces = [
      "'",
      '"',
      '/*',
      '--',
      '(',
      '$1',
      "password = '",
      '$$',
      '$a$',
      '$a',
      "e'",
      "\\'",
      '[a',
      '`',
      "''",
      '*/',
      '#',
    ]
    for (const piece of pieces) {
      assertLinear(
        256_000 / piece.length,
        (size) => {
          const text = piece.repeat(size)
          return () => void hideSqlSecrets(text, isSecret)
        },
        piece,
      )
    }
  })
})
