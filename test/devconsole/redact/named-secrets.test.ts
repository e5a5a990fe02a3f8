import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { hideLines, hideNamed } from '#src/devconsole/redact/named-secrets.js'
import { hidePairs } from '#src/secrets/secret-forms.js'
import { Secrets } from '#src/secrets/secrets.js'
import { assertLinear } from '#test/processor-time.js'

const secrets = new Secrets()
const isSecret = (name: string): boolean => secrets.isKey(name)
const hidden = (text: string): string => hideNamed(text, isSecret)

describe('hideNamed()', () => {
  it('redacts quoted values and numbers in JSON and inspected objects', () => {
    for (const [text, shown] of [
      ['{"a":1,"password":"hun\\"ter2","b":2}', '{"a":1,"password":"redacted","b":2}'],
      ["{ passWord: 'hunter2', pin: 1234, x: 'y' }", "{ passWord: 'redacted', pin: redacted, x: 'y' }"],
      ['{\\"api-key\\":\\"hunter2\\",\\"x\\":1}', '{\\"api-key\\":\\"redacted\\",\\"x\\":1}'],
      [
        JSON.stringify(JSON.stringify(JSON.stringify({ token: 'a "b" c', d: 1 }))),
        JSON.stringify(JSON.stringify(JSON.stringify({ token: 'redacted', d: 1 }))),
      ],
      ['\\"password\\":\\"cut off', '\\"password\\":\\"redacted'],
      ['const secret = `hunter2`', 'const secret = `redacted`'],
      ['user.token="a b c" z', 'user.token="redacted" z'],
      ['"note": "password: \'inner\'" end', '"note": "password: \'redacted\'" end'],
      ['"password":"cut of', '"password":"redacted'],
      ['"password":"a","password":"b"', '"password":"redacted","password":"redacted"'],
      ['{"token":{"a":["}",{"b":"x"}]},"c":1}', '{"token":redacted,"c":1}'],
      ["{ session: [ 'it]', 2 ], size: 3 }", '{ session: redacted, size: 3 }'],
      ['{"secret":{"a":"cut off', '{"secret":redacted'],
      ['"password":"x, pin: 7"', '"password":"redacted"'],
      [inspect(new Map([['password', `it's "hunter2"`]])), "Map(1) { 'password' => `redacted` }"],
      [inspect({ secret: [`it's "]`, 'hunter2'], size: 3 }), '{ secret: redacted, size: 3 }'],
    ] as const) {
      assert.equal(hidden(text), shown)
    }
  })

  it('redacts the content of XML elements', () => {
    assert.equal(
      hidden('<user><ns.Password type="a">hunter2</ns.Password><name>Ann</name></user>'),
      '<user><ns.Password type="a">redacted</ns.Password><name>Ann</name></user>',
    )
  })

  it('leaves everything else unchanged', () => {
    for (const text of [
      'no names at all',
      'const f = (password: string, token: Token) => 1',
      'http://localhost:3000/token',
      '2026-01-01T10:00:00',
      '{"title":"a","size":-1.5}',
      '<title>a</title>',
      'Unexpected token: }',
    ]) {
      assert.equal(hidden(text), text)
    }
  })

  it('matches names of at most 64 characters, close to their values', () => {
    const long = 'x'.repeat(60)
    const named = (text: string): string => hideNamed(text, (name) => name.length > 3)
    for (const [text, shown] of [
      [`${long}abcd: 1`, `${long}abcd: redacted`],
      [`${long}abcde: 1`, `${long}abcde: 1`],
      [`name${' '.repeat(10)}: 1`, `name${' '.repeat(10)}: redacted`],
      [`name${' '.repeat(11)}: 1`, `name${' '.repeat(11)}: 1`],
      [`name\u00a0\t: 1`, `name\u00a0\t: redacted`],
      [`name\u00e9: 1`, `name\u00e9: 1`],
      [`"name${'\\'.repeat(15)}": 1`, `"name${'\\'.repeat(15)}": redacted`],
      [`"name${'\\'.repeat(16)}": 1`, `"name${'\\'.repeat(16)}": 1`],
      [`: 1`, `: 1`],
      [`": 1`, `": 1`],
    ] as const) {
      assert.equal(named(text), shown)
    }
  })

  const PARTS: readonly string[] = [
    ...[
      'a:1',
      ':1',
      '":1',
      'a=1',
      '=',
      '==',
      '%5',
      '[a]=',
      'a',
      ' ',
      '\n',
      ' \t',
      '<a ',
      `<${'a'.repeat(64)}`,
      'a\\"',
      '=`',
    ],
    ...[
      'password:"',
      'password: ',
      'password:\\"',
      'password=',
      'token:[',
      'token:["',
      'token:\\\\"',
      '"a":{',
      `${'x'.repeat(64)}:1`,
    ],
    ...[`a${' '.repeat(10)}:1`, `:${' '.repeat(10)}${'\\'.repeat(14)}`, `a${'\\'.repeat(15)}:1`],
  ]
  for (const part of PARTS) {
    it(`runs in linear time on repetitions of ${JSON.stringify(part)}`, () => {
      const prepare = (size: number) => {
        const text = Buffer.from(`${part.repeat(size / part.length)}:=</`).toString()
        return () => void hidePairs(hideLines(hidden(text), isSecret), isSecret)
      }
      assertLinear(163_840, prepare)
    })
  }
})

describe('hidePairs()', () => {
  it('redacts unquoted values in queries and lines', () => {
    for (const [text, shown] of [
      ['user=ann token=abc&x=1', 'user=ann token=redacted&x=1'],
      ['/a?next=/b?password=hunter2', '/a?next=/b?password=redacted'],
      ['x=password=hunter2', 'x=password=redacted'],
      ['pin=1;pin=2,pin=3', 'pin=redacted;pin=redacted,pin=redacted'],
      ['token=', 'token=redacted'],
      ['token==abc d', 'token=redacted d'],
      ['=abc', '=abc'],
      ['token="abc"', 'token="abc"'],
      ['nothing at all', 'nothing at all'],
    ] as const) {
      assert.equal(hidePairs(text, isSecret), shown)
    }
  })

  it('uses the last 64 characters of a longer name', () => {
    const seen: string[] = []
    hidePairs(`${'x'.repeat(100)}=1`, (name) => seen.push(name) < 0)
    assert.deepEqual(seen, ['x'.repeat(64)])
  })
})

describe('hideLines()', () => {
  it('redacts the text after a secret name at the start of a line', () => {
    const text = 'user: ann\n  password: hunter2\n- token: abc def\n"secret" : x\nnote: ok\nhash password: y'
    assert.equal(
      hideLines(text, isSecret),
      'user: ann\n  password: redacted\n- token: redacted\n"secret" : redacted\nnote: ok\nhash password: y',
    )
    assert.equal(hideLines('password', isSecret), 'password')
  })
})
