import { JwtKey, JwtAlgorithm } from './core.js'
import { Setting } from './idempotency.js'
import { Provider } from './index.js'
export {
  ApiKeyPlace,
  BasicOptions,
  BearerOptions,
  Claims,
  Jwk,
  JwkSet,
  JwtOptions,
  JwtVerifier,
  NamedUser,
  Passwords,
  UserPassword,
  apiKey,
  basic,
  bearer,
  jwt,
} from './core.js'
interface JwtSignerOptions {
  readonly key: JwtKey
  readonly algorithm: JwtAlgorithm
  readonly expiresIn: number
  readonly issuer?: string
  readonly audience?: string | readonly string[]
  readonly keyId?: string
  readonly type?: string
  readonly now?: () => number
}
interface NewClaims {
  readonly iss?: string
  readonly sub?: string
  readonly aud?: string | readonly string[]
  readonly nbf?: number
  readonly jti?: string
  readonly exp?: never
  readonly iat?: never
  readonly [claim: string]: unknown
}
type JwtSigner = (claims: NewClaims) => string
declare function jwtSigner(options: JwtSignerOptions): JwtSigner
interface PasswordOptions {
  readonly signal?: AbortSignal | undefined
}
declare function hashPassword(password: string, options?: PasswordOptions): Promise<string>
declare function verifyPassword(
  password: string,
  hash: string | null | undefined,
  options?: PasswordOptions,
): Promise<boolean>
declare function needsRehash(hash: string): boolean
interface Webhook {
  readonly id: string
  readonly timestamp: Date
}
interface WebhookOptions<Services extends object = {}> {
  readonly secrets: Setting<readonly string[], Services>
  readonly headers?: 'webhook' | 'svix'
  readonly tolerance?: number
  readonly now?: () => number
}
interface NewWebhook {
  readonly id: string
  readonly timestamp: Date
  readonly body: string | Uint8Array
  readonly secret: string
}
type WebhookHeaders = Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>
declare function webhook<Services extends object = {}>(
  options: WebhookOptions<Services>,
): Provider<Webhook, [Services][Services extends unknown ? 0 : never]>
declare function signWebhook(message: NewWebhook): WebhookHeaders
export { JwtAlgorithm, JwtKey, hashPassword, jwtSigner, needsRehash, signWebhook, verifyPassword, webhook }
export type {
  JwtSigner,
  JwtSignerOptions,
  NewClaims,
  NewWebhook,
  PasswordOptions,
  Webhook,
  WebhookHeaders,
  WebhookOptions,
}
