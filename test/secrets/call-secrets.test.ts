import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeUrlEncoded } from '#src/secrets/secret-forms.js'
import { gatherFields, gatherJson, gatherQuery } from '#src/secrets/call-secrets.js'
import { SecretValues } from '#src/secrets/secret-values.js'
import { Secrets } from '#src/secrets/secrets.js'

const names = new Secrets()
names.addPlace({ in: 'header', name: 'X-Partner' })
names.addPlace({ in: 'query', name: 'club' })
names.addPlace({ in: 'cookie', name: 'badge' })

function hiddenBy(fill: (gathering: { names: Secrets; values: SecretValues }) => void, text: string): string {
  const values = new SecretValues()
  fill({ names, values })
  return values.hide(text)
}

describe('gatherFields()', () => {
  it('adds the values of secret headers, API key headers and secret cookies', () => {
    const fields: [string, unknown][] = [
      ['x-partner', 'partner-1'],
      ['x-vault-token', 'vault-11'],
      ['accept', 'shown-11'],
      ['gone', undefined],
      ['cookie', 'theme=shown-22; badge=badge; sid=a%2Fb%20c; alone'],
      ['set-cookie', 'session=cookie-1; Path=/shown-33\nb=shown-44'],
    ]
    assert.equal(
      hiddenBy(
        (gathering) => gatherFields(fields, gathering),
        'partner-1 vault-11 shown-11 shown-22 badge a%2Fb%20c a/b c alone cookie-1 shown-33 shown-44',
      ),
      'redacted redacted shown-11 shown-22 redacted redacted redacted alone redacted shown-33 shown-44',
    )
  })
})

describe('gatherQuery()', () => {
  it('adds the values of secret query keys and API key parameters', () => {
    const query = 'club=club-111&access%5Ftoken=a%2Bb+c+d&page=shown-11&flag&=x'
    assert.equal(
      hiddenBy((gathering) => gatherQuery(query, gathering), 'club-111 a+b c d shown-11'),
      'redacted redacted shown-11',
    )
    assert.equal(
      hiddenBy((gathering) => gatherQuery('', gathering), 'a'),
      'a',
    )
  })
})

describe('gatherJson()', () => {
  it('adds secret JSON values at any depth, and ignores malformed JSON', () => {
    const text = `${'[{"a":'.repeat(2_000)}{"newPassword":"hunter22","b":"shown-11"}${'}]'.repeat(2_000)}`
    assert.equal(
      hiddenBy((gathering) => gatherJson(text, gathering), 'hunter22 shown-11'),
      'redacted shown-11',
    )
    assert.equal(
      hiddenBy((gathering) => gatherJson('{"pin":"hunter22"', gathering), 'hunter22'),
      'hunter22',
    )
    assert.equal(
      hiddenBy((gathering) => gatherJson('[null,1,{"a":null}]', gathering), 'a'),
      'a',
    )
  })
})

describe('decodeUserInfo()', () => {
  it('decodes URL-encoded strings, and returns malformed ones unchanged', () => {
    assert.deepEqual(['a', 'a%20b+c', '%zz'].map(decodeUrlEncoded), ['a', 'a b c', '%zz'])
  })
})
