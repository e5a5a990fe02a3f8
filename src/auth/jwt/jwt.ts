/** JSON Web Tokens: verified by keys and algorithms that the application has chosen (RFC 7519, RFC 8725). */
import { invalidToken } from '../authorization.js'
import { hasSigned, keysFor, type VerifyKey } from './keys.js'
import { checkClaims, type Claims, type Jws, type JwsHeader, parseJws, parseObject } from './token.js'
import { checkJwtOptions, plainType, type JwtOptions, type JwtSettings } from './jwt-options.js'
import { RemoteKeys } from './remote-keys.js'

/**
 * Verifies a token.
 *
 * @param token as sent
 * @returns its claims; a promise of them where a key has to be fetched first
 * @throws HttpError 401 when the token is refused, 503 when there are no keys to check it with
 */
export type JwtVerifier = (token: string) => Claims | Promise<Claims>

/**
 * Makes a function that verifies tokens, for `bearer` or to be called by hand. It accepts a token that one of the keys has signed by
 * one of the algorithms, that has not expired, and that is from the issuer and for the audience. No answer or log shows a refused one.
 *
 * @param options algorithms, keys, and what the claims must be
 * @returns the function; it gives the claims, or throws an HTTP error 401 that says which check has failed
 * @throws SetupError `JWT_INVALID`
 *
 * @example
 * ```ts
 * import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
 * import { jwt } from 'verbena'
 *
 * const secret = randomBytes(32)
 * const issuer = 'https://login.example'
 * const verify = jwt({ algorithms: ['HS256'], keys: createSecretKey(secret), issuer, audience: 'https://api.example' })
 *
 * // What the issuer does, in another program.
 * const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
 * const claims = { sub: 'ada', iss: issuer, aud: 'https://api.example', exp: Math.floor(Date.now() / 1000) + 60 }
 * const content = `${part({ alg: 'HS256' })}.${part(claims)}`
 * const token = `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
 * const { sub } = await verify(token)
 * sub // => 'ada'
 * ```
 */
export function jwt(options: JwtOptions): JwtVerifier {
  const settings = checkJwtOptions(options)
  const find = finderOf(settings.keys)
  return (token) => {
    const jws = parseJws(token)
    checkHeader(jws.header, settings)
    const keys = find(jws.header)
    if (keys instanceof Promise) return keys.then((found) => claimsOf(jws, found, settings))
    return claimsOf(jws, keys, settings)
  }
}

function finderOf(keys: JwtSettings['keys']): RemoteKeys['find'] {
  if (!('url' in keys)) return (header) => keysFor(keys, header)
  const remote = new RemoteKeys(keys)
  return (header) => remote.find(header)
}

function checkHeader({ alg, typ }: JwsHeader, { algorithms, type }: JwtSettings): void {
  if (!algorithms.includes(alg)) throw invalidToken('The algorithm of the token is not accepted')
  const shown = typ === undefined ? null : plainType(typ)
  if (type !== null && shown !== type) throw invalidToken('The token is of another type')
}

function claimsOf(jws: Jws, keys: readonly VerifyKey[], { rules }: JwtSettings): Claims {
  if (!keys.some((key) => hasSigned(key, jws))) throw invalidToken('The token is not signed by a key that is known')
  return checkClaims(parseObject(jws.payload), rules)
}
