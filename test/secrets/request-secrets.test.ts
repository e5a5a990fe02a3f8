import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeUrlEncoded } from '#src/secrets/secret-forms.js'
import { RequestSecrets } from '#src/secrets/request-secrets.js'
import { Secrets } from '#src/secrets/secrets.js'

const names = new Secrets()
names.addPlace({ in: 'header', name: 'X-Partner' })
names.addPlace({ in: 'query', name: 'club' })
names.addPlace({ in: 'cookie', name: 'badge' })

function hiddenBy(fill: (secrets: RequestSecrets) => void, text: string): string {
  const secrets = new RequestSecrets(names)
  fill(secrets)
  return secrets.values.hide(text)
}

describe('RequestSecrets: gatherHeaders()', () => {
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
        (secrets) => secrets.gatherHeaders(fields),
        'partner-1 vault-11 shown-11 shown-22 badge a%2Fb%20c a/b c alone cookie-1 shown-33 shown-44',
      ),
      'redacted redacted shown-11 shown-22 redacted redacted redacted alone redacted shown-33 shown-44',
    )
  })
})

describe('RequestSecrets: gatherQuery()', () => {
  it('adds the values of secret query keys and API key parameters', () => {
    const query = 'club=club-111&access%5Ftoken=a%2Bb+c+d&page=shown-11&flag&=x'
    assert.equal(
      hiddenBy((secrets) => secrets.gatherQuery(query), 'club-111 a+b c d shown-11'),
      'redacted redacted shown-11',
    )
    assert.equal(
      hiddenBy((secrets) => secrets.gatherQuery(''), 'a'),
      'a',
    )
  })
})

describe('RequestSecrets: gatherBody()', () => {
  it('adds secret JSON values at any depth, and ignores malformed JSON', () => {
    const text = `${'[{"a":'.repeat(2_000)}{"newPassword":"hunter22","b":"shown-11"}${'}]'.repeat(2_000)}`
    assert.equal(
      hiddenBy((secrets) => secrets.gatherBody('application/json', text), 'hunter22 shown-11'),
      'redacted shown-11',
    )
    assert.equal(
      hiddenBy((secrets) => secrets.gatherBody('application/json', '{"pin":"hunter22"'), 'hunter22'),
      'hunter22',
    )
    assert.equal(
      hiddenBy((secrets) => secrets.gatherBody('application/json', '[null,1,{"a":null}]'), 'a'),
      'a',
    )
  })

  it('searches at most 10,000 objects and arrays', () => {
    const list = (count: number): string => `[${'{},'.repeat(count)}{"pin":"hunter22"}]`
    for (const [count, shown] of [
      [9_998, 'redacted'],
      [9_999, 'hunter22'],
      [300_000, 'hunter22'],
    ] as const) {
      assert.equal(
        hiddenBy((secrets) => secrets.gatherBody('application/json', list(count)), 'hunter22'),
        shown,
      )
    }
  })
})

describe('RequestSecrets: error()', () => {
  it('hides secret values of the request, and keeps quoted words of a message', () => {
    const secrets = new RequestSecrets(names)
    secrets.gatherQuery('token=hunter22')
    const shown = secrets.error(new Error('Cannot verify a token: "now" must not be hunter22'))
    assert.ok(shown instanceof Error)
    assert.equal(shown.message, 'Cannot verify a token: "now" must not be redacted')
  })
})

describe('decodeUserInfo()', () => {
  it('decodes URL-encoded strings, and returns malformed ones unchanged', () => {
    assert.deepEqual(['a', 'a%20b+c', '%zz'].map(decodeUrlEncoded), ['a', 'a b c', '%zz'])
  })
})
