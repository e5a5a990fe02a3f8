import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Secrets } from '#src/secrets/secrets.js'

const TEXT = 'cat Bearer abc'

function hides(secrets: Secrets): readonly unknown[] {
  const { replaced } = secrets
  const headers = ['X-Tenant', 'cookie'].map((name) => secrets.isHeader(name))
  const keys = ['Birth_Day', 'password'].map((name) => secrets.isKey(name))
  return [headers, keys, secrets.hide(TEXT), replaced]
}

describe('Secrets', () => {
  it('adds custom lists to the default lists', () => {
    assert.deepEqual(hides(new Secrets()), [[false, true], [false, true], 'cat redacted', []])
    const own = { headers: ['x-tenant'], keys: ['birthday'], values: [/cat/] }
    for (const given of [own, { ...own, replaceDefaults: false }]) {
      assert.deepEqual(hides(new Secrets(given)), [[true, true], [true, true], 'redacted redacted', []])
    }
  })

  it('hides each default pattern, ignoring case, before it applies custom patterns', () => {
    const texts = ['BEARER abc', 'bEaReR   abc', 'eyJ.x', '-----BEGIN KEY-----\nabc', 'x://me@b', 'a cat://me:abc@b c']
    const hidden = ['redacted', 'redacted', 'redacted', 'redacted', 'x://redacted@b', 'a cat://redacted@b c']
    const usual = new Secrets()
    assert.deepEqual(
      texts.map((text) => usual.hide(text)),
      hidden,
    )
    assert.equal(new Secrets({ values: [/redacted@b/] }).hide('a cat://me:abc@b c'), 'a cat://redacted c')
  })

  it('replaces each default list separately with replaceDefaults', () => {
    const replaceDefaults = true
    const all = { headers: ['x-tenant'], keys: ['birthday'], values: [/cat/], replaceDefaults }
    assert.deepEqual(hides(new Secrets(all)), [
      ...[[true, false], [true, false], 'redacted Bearer abc'],
      ['headers', 'keys', 'values'],
    ])
    assert.deepEqual(hides(new Secrets({ keys: [], replaceDefaults })), [
      ...[[false, true], [false, false], 'cat redacted'],
      ['keys'],
    ])
  })

  it('hides the credentials of security schemes, even if the default lists are replaced', () => {
    const secrets = new Secrets({ headers: [], keys: [], replaceDefaults: true })
    for (const place of ['header', 'query', 'cookie'] as const) secrets.addPlace({ in: place, name: `X-${place}` })
    const asked = [secrets.isHeader('x-HEADER'), secrets.isQuery('x-query'), secrets.isCookie('x-cookie')]
    assert.deepEqual(asked, [true, true, true])
    assert.deepEqual(
      [secrets.isKey('x-query'), secrets.isHeader('x-cookie'), secrets.isQuery('other')],
      [false, false, false],
    )
    assert.equal(secrets.hide('a?X-Query=abc&b=1'), 'a?X-Query=redacted&b=1')
  })

  it('hides the value after a secret name, even if the name is URL-encoded', () => {
    const secrets = new Secrets()
    assert.equal(
      secrets.hide('newPassword=a&b=c user%5Bpin%5D=d %zz=e'),
      'newPassword=redacted&b=c user%5Bpin%5D=redacted %zz=e',
    )
  })

  it('returns the same result for cached names, many names and long names', () => {
    const secrets = new Secrets()
    for (let index = 0; index < 2_500; index++) assert.ok(!secrets.isKey(`name${index}`))
    for (let round = 0; round < 2; round++) {
      assert.ok(
        secrets.isKey('newPassword') && secrets.isKey(`${'long-'.repeat(50)}token`) && !secrets.isKey('x'.repeat(65)),
      )
    }
  })
})
