/** Whatever is sent as a token is accepted, or refused by a 401. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { jwt } from '#src/features/auth/jwt/jwt.js'
import { CLAIMS, EC, ED, NOW, RSA, SECRET, hmac, readRefusal, sealToken, signToken } from '#test/tokens.js'

const verify = jwt({
  algorithms: ['HS256', 'RS256', 'ES256', 'EdDSA'],
  keys: [SECRET, RSA.publicKey, EC.publicKey, ED.publicKey],
  audience: 'api',
  now: () => NOW,
})
const statusOf = async (token: string): Promise<number> => (await readRefusal(() => verify(token)))?.status ?? 200

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')
const json = fc.json().map(base64url)
const part = fc.oneof(json, fc.uint8Array({ maxLength: 64 }).map(base64url), fc.string({ maxLength: 40 }))

describe('jwt() and any text', () => {
  let tokens: readonly string[] = []

  before(async () => {
    tokens = await Promise.all(['HS256', 'ES256', 'EdDSA'].map((algorithm) => signToken(algorithm)))
  })

  it('refuses texts that are no tokens', async () => {
    const texts = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.')),
    )
    await fc.assert(fc.asyncProperty(texts, async (text) => assert.equal(await statusOf(text), 401)))
  })

  it('refuses every token in which one character is another', async () => {
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

  it('refuses any header and any claims by a 401, signed as they may be', async () => {
    const header = fc.record({
      alg: fc.constantFrom('HS256', 'RS256', 'none', 1, null),
      kid: fc.anything(),
      typ: fc.anything(),
    })
    const claims = fc.dictionary(fc.constantFrom('exp', 'nbf', 'iat', 'iss', 'sub'), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(header, claims, async (head, said) => {
        const content = [head, said].map((value) => base64url(JSON.stringify(value, withoutBigints))).join('.')
        // Without an audience nothing is accepted, so that each of them must be refused.
        assert.equal(await statusOf(sealToken(content, hmac(SECRET))), 401)
      }),
    )
  })

  it('accepts what it should, in spite of all', async () => {
    for (const token of tokens) assert.deepEqual(await verify(token), CLAIMS)
  })
})

function withoutBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
