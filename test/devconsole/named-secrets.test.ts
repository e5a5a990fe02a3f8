import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { hideLines, hideNamed } from '#src/devconsole/named-secrets.js'
import { Secrets } from '#src/telemetry/secrets.js'

const secrets = new Secrets()
const isSecret = (name: string): boolean => secrets.isKey(name)
const hidden = (text: string): string => hideNamed(text, isSecret)

describe('hideNamed()', () => {
  it('hides values in quotes and numbers, as JSON and inspections write them', () => {
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

  it('hides the content of elements', () => {
    assert.equal(
      hidden('<user><ns.Password type="a">hunter2</ns.Password><name>Ann</name></user>'),
      '<user><ns.Password type="a">redacted</ns.Password><name>Ann</name></user>',
    )
  })

  it('leaves everything else as it is', () => {
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

  it('takes time that is linear in the text', () => {
    const long = 400_000
    for (const part of [
      'a:',
      'password:"',
      'password: ',
      ' ',
      'x',
      '<a ',
      'password:\\"',
      '\n',
      ' \t',
      'a\\"',
      '=`',
      'token:[',
      'token:["',
      'token:\\\\"',
    ]) {
      const text = `${part.repeat(long / part.length)}:=</`
      const began = performance.now()
      hideLines(hidden(text), isSecret)
      assert.ok(performance.now() - began < 2_000, part)
    }
  })
})

describe('hideLines()', () => {
  it('hides what follows the name of a secret at the begin of a line', () => {
    const text = 'user: ann\n  password: hunter2\n- token: abc def\n"secret" : x\nnote: ok\nhash password: y'
    assert.equal(
      hideLines(text, isSecret),
      'user: ann\n  password: redacted\n- token: redacted\n"secret" : redacted\nnote: ok\nhash password: y',
    )
    assert.equal(hideLines('password', isSecret), 'password')
  })
})
