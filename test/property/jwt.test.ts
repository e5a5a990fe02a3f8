/** Every string that is sent as a token is accepted or rejected with 401. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { jwt } from '#src/features/auth/jwt/jwt.js'
import { CLAIMS, EC, ED, NOW, RSA, SECRET, hmac, readTokenError, sealToken, signToken } from '#test/tokens.js'

const verify = jwt({
  algorithms: ['HS256', 'RS256', 'ES256', 'EdDSA'],
  keys: [SECRET, RSA.publicKey, EC.publicKey, ED.publicKey],
  audience: 'api',
  now: () => NOW,
})
const statusOf = async (token: string): Promise<number> => (await readTokenError(() => verify(token)))?.status ?? 200

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')
const json = fc.json().map(base64url)
const part = fc.oneof(json, fc.uint8Array({ maxLength: 64 }).map(base64url), fc.string({ maxLength: 40 }))

describe('jwt() with any string', () => {
  let tokens: readonly string[] = []

  before(async () => {
    tokens = await Promise.all(['HS256', 'ES256', 'EdDSA'].map((algorithm) => signToken(algorithm)))
  })

  it('rejects strings that are not tokens', async () => {
    const texts = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.')),
    )
    await fc.assert(fc.asyncProperty(texts, async (text) => assert.equal(await statusOf(text), 401)))
  })

  it('rejects a token with one changed character', async () => {
    const changes = fc.tuple(fc.nat(2), fc.nat(), fc.string({ unit: 'binary-ascii', minLength: 0, maxLength: 1 }))
    await fc.assert(
      fc.asyncProperty(changes, async ([which, place, char]) => {
        const token = tokens[which] ?? ''
        const at = place % token.length
        const changed = token.slice(0, at) + char + token.slice(at + 1)
        assert.equal(await statusOf(changed), changed === token ? 200 : 401)
      }),
      { numRuns: 500 },
    )
  })

  it('rejects any header and claims with 401, even if they are signed', async () => {
    const header = fc.record({
      alg: fc.constantFrom('HS256', 'RS256', 'none', 1, null),
      kid: fc.anything(),
      typ: fc.anything(),
    })
    const claims = fc.dictionary(fc.constantFrom('exp', 'nbf', 'iat', 'iss', 'sub'), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(header, claims, async (head, said) => {
        const content = [head, said].map((value) => base64url(JSON.stringify(value, withoutBigints))).join('.')
        // The claims have no audience, so every token must be rejected.
        assert.equal(await statusOf(sealToken(content, hmac(SECRET))), 401)
      }),
    )
  })

  it('still accepts valid tokens', async () => {
    for (const token of tokens) assert.deepEqual(await verify(token), CLAIMS)
  })
})

function withoutBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
