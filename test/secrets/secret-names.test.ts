import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isCommonWord, namesSecret } from '#src/secrets/secret-names.js'
import { assertLinear } from '#test/processor-time.js'

const SECRET = [
  ...['password', 'newPassword', 'currentPassword', 'PASSWORD', 'PassWord', 'newPassWord', 'pass-word', 'password2'],
  ...[
    'authToken',
    'X-Vault-Token',
    'Private-Token',
    'oauth2Token',
    'tokens',
    'access_token',
    'größeToken',
    'authtoken',
  ],
  ...['secretAccessKey', 'X-Goog-Api-Key', 'APIKey', 'api_keys', 'accessKeyId', 'creditCard', 'CardNo', 'userPIN'],
  ...['OTPCode', 'cvv2', 'session_ID', 'connect.sid', '__Host-session', 'user[password]', 'recovery-codes', 'pass'],
  ...['X-Amz-Signature', 'Webhook-Signature', 'Svix-Signature'],
]
const PUBLIC = [
  ...['pinned', 'shipping', 'spinning', 'opinion', 'tokenize', 'passwordless', 'author', 'authority', 'cardinality'],
  ...['wildcard', 'secretary', 'passport', 'compass', 'key', 'keyboard', 'statusCode', 'postcode', 'design', 'side'],
  ...['token_type', 'Access-Control-Allow-Credentials', 'authorizationEndpoint', '', 'title'],
  ...['webhook-id', 'webhook-timestamp', 'signature'],
]

describe('namesSecret()', () => {
  for (const name of SECRET) it(`recognizes "${name}" as the name of a secret`, () => assert.ok(namesSecret(name)))
  for (const name of PUBLIC)
    it(`does not recognize "${name}" as the name of a secret`, () => assert.ok(!namesSecret(name)))

  it('takes time linear in the length of the name', () => {
    for (const part of ['a', 'A', 'Aa', 'pin', 'key-', '_', 'ß', 'tokenx']) {
      const prepare = (size: number) => {
        const name = `${part.repeat(size / part.length)}pin1`
        return () => void namesSecret(name)
      }
      // V8 allocates strings above 128 KiB separately, which takes longer than reading them.
      assertLinear(100_000, prepare, part)
    }
  })
})

describe('isCommonWord()', () => {
  it('recognizes common words and words that name secrets', () => {
    const words = ['True', 'password', 'tokens', 'hunter2', 'ann']
    assert.deepEqual(words.map(isCommonWord), [true, true, true, false, false])
  })
})
