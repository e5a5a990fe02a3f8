import assert from 'node:assert/strict'
import { checkClaims, type ClaimRules } from '#src/features/auth/jwt/token.js'
import { NOW, SECONDS, readTokenError } from '#test/tokens.js'
import { describe, it } from 'node:test'

const RULES: ClaimRules = { issuers: ['a', 'b'], audiences: ['x', 'y'], leeway: 5, needsExpiry: true, now: () => NOW }
const SOUND = { iss: 'a', aud: 'x', exp: SECONDS + 60 }

type Case = readonly [rule: string, claims: Readonly<Record<string, unknown>>, detail: string | null]

async function hold(cases: readonly Case[], rules: ClaimRules): Promise<void> {
  for (const [rule, claims, detail] of cases) {
    const refusal = await readTokenError(() => checkClaims(claims, rules))
    assert.equal(refusal?.detail ?? null, detail, rule)
  }
}

const EXPIRED = 'The token has expired'
const EARLY = 'The token is not valid yet'
const FUTURE = 'The token was issued in the future'
const TYPE = 'The token contains a claim of the wrong type'
const ISSUER = 'The token is from another issuer'
const AUDIENCE = 'The token is for another audience'

describe('checkClaims()', () => {
  it('compares exp, nbf and iat with the clock, within the leeway (RFC 7519 sections 4.1.4 to 4.1.6)', () =>
    hold(
      [
        ['in its life', SOUND, null],
        ['expires within the leeway', { ...SOUND, exp: SECONDS - 4 }, null],
        ['has expired at the very second', { ...SOUND, exp: SECONDS - 5 }, EXPIRED],
        ['has expired long ago', { ...SOUND, exp: 0 }, EXPIRED],
        ['expired before time began', { ...SOUND, exp: -1e300 }, EXPIRED],
        ['has fractions', { ...SOUND, exp: SECONDS - 4.999 }, null],
        ['begins within the leeway', { ...SOUND, nbf: SECONDS + 5 }, null],
        ['begins later', { ...SOUND, nbf: SECONDS + 6 }, EARLY],
        ['issued within the leeway', { ...SOUND, iat: SECONDS + 5 }, null],
        ['issued later', { ...SOUND, iat: SECONDS + 6 }, FUTURE],
      ],
      RULES,
    ))

  it('rejects registered claims of the wrong type', () =>
    hold(
      [
        ['exp as text', { ...SOUND, exp: String(SECONDS + 60) }, TYPE],
        ['exp null', { ...SOUND, exp: null }, TYPE],
        ['exp without end', { ...SOUND, exp: Infinity }, TYPE],
        ['nbf as text', { ...SOUND, nbf: '0' }, TYPE],
        ['iat as a list', { ...SOUND, iat: [0] }, TYPE],
        ['iss as a list', { ...SOUND, iss: ['a'] }, TYPE],
        ['aud as a number', { ...SOUND, aud: 1 }, TYPE],
        ['aud null', { ...SOUND, aud: null }, TYPE],
        ['aud with a number in it', { ...SOUND, aud: ['x', 1] }, TYPE],
        ['sub as a number', { ...SOUND, sub: 1 }, TYPE],
        ['sub as text', { ...SOUND, sub: '1' }, null],
      ],
      RULES,
    ))

  it('requires one of the issuers and one of the audiences', () =>
    hold(
      [
        ['the second of each', { ...SOUND, iss: 'b', aud: ['z', 'y'] }, null],
        ['another issuer', { ...SOUND, iss: 'c' }, ISSUER],
        ['an issuer in another case', { ...SOUND, iss: 'A' }, ISSUER],
        ['no issuer', { aud: 'x', exp: SOUND.exp }, ISSUER],
        ['another audience', { ...SOUND, aud: 'z' }, AUDIENCE],
        ['no audience', { iss: 'a', exp: SOUND.exp }, AUDIENCE],
        ['nobody', { ...SOUND, aud: [] }, AUDIENCE],
      ],
      RULES,
    ))

  it('rejects a token with an audience if the audience option is not set (RFC 7519 section 4.1.3)', () =>
    hold(
      [
        ['from anyone, for nobody', { exp: SOUND.exp }, null],
        ['from someone, for nobody', { iss: 'c', exp: SOUND.exp }, null],
        ['for somebody', { aud: 'x', exp: SOUND.exp }, AUDIENCE],
        ['an issuer of the wrong type', { iss: 1, exp: SOUND.exp }, TYPE],
      ],
      { ...RULES, issuers: null, audiences: null },
    ))

  it('requires exp, unless expiry is optional', async () => {
    const endless = { iss: 'a', aud: 'x' }
    await hold([['no exp', endless, 'The token has no expiration time']], RULES)
    await hold(
      [
        ['no exp', endless, null],
        ['an end that has come', { ...endless, exp: SECONDS - 5 }, EXPIRED],
      ],
      { ...RULES, needsExpiry: false },
    )
  })

  it('returns the claims unchanged', () => {
    const claims = { ...SOUND, roles: ['admin'] }
    assert.equal(checkClaims(claims, RULES), claims)
  })
})
