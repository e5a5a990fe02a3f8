/** The examples that the RFCs have published. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hasSigned, type Jwk, readKey } from '#src/features/auth/jwt/keys.js'
import { parseJws } from '#src/features/auth/jwt/token.js'
import { jwt } from '#src/features/auth/jwt/jwt.js'

const PAYLOAD = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ'
const CLAIMS = { iss: 'joe', exp: 1300819380, 'http://example.com/is_root': true }

const HS256: Jwk = {
  kty: 'oct',
  k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
}
const RS256: Jwk = {
  kty: 'RSA',
  n:
    'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_' +
    'YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uD' +
    'Zlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
  e: 'AQAB',
}
const ES256: Jwk = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}
const ED25519: Jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }

const TOKENS: readonly (readonly [where: string, algorithm: 'HS256' | 'RS256' | 'ES256', key: Jwk, token: string])[] = [
  [
    'RFC 7515 A.1 (and RFC 7519 3.1)',
    'HS256',
    HS256,
    `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${PAYLOAD}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`,
  ],
  [
    'RFC 7515 A.2',
    'RS256',
    RS256,
    `eyJhbGciOiJSUzI1NiJ9.${PAYLOAD}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8` +
      'W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eS' +
      'N9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVr' +
      'Bp0igcN_IoypGlUPQGe77Rw',
  ],
  [
    'RFC 7515 A.3',
    'ES256',
    ES256,
    `eyJhbGciOiJFUzI1NiJ9.${PAYLOAD}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
  ],
]

describe('jwt(): examples of the RFCs', () => {
  for (const [where, algorithm, key, token] of TOKENS) {
    it(`accepts ${where} before it expires, and rejects it with a changed signature`, async () => {
      const verify = jwt({ algorithms: [algorithm], keys: key, now: () => (CLAIMS.exp - 1) * 1000 })
      assert.deepEqual(await verify(token), CLAIMS)
      const middle = token.lastIndexOf('.') + 10
      const changed = token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1)
      assert.throws(() => verify(changed), /not signed/)
    })
  }

  it('verifies the signature of RFC 8037 A.4, whose payload is not JSON', () => {
    const found = readKey(ED25519)
    assert.ok(typeof found !== 'string')
    const jws = parseJws(
      'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.' +
        'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
    )
    const { header, payload } = jws
    assert.deepEqual([header.alg, found.algorithm], ['EdDSA', 'EdDSA'])
    assert.equal(payload.toString(), 'Example of Ed25519 signing')
    assert.equal(hasSigned(found, jws), true)
    assert.equal(hasSigned(found, { ...jws, content: payload }), false)
  })
})
