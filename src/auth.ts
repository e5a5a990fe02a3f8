/**
 * `verbena/auth`: guards for credentials, tokens that your app signs, hashes of passwords, and signed webhooks.
 *
 * @module
 */

// # Authentication
export { apiKey } from './features/auth/api-key.js'
export type { ApiKeyPlace } from './features/auth/api-key.js'
export { basic, bearer } from './features/auth/authorization.js'
export type { BasicOptions, BearerOptions, NamedUser, Passwords, UserPassword } from './features/auth/authorization.js'
export { jwt } from './features/auth/jwt/jwt.js'
export type { JwtOptions, JwtVerifier } from './features/auth/jwt/jwt.js'
export type { JwtAlgorithm, JwtKey, Jwk, JwkSet } from './features/auth/jwt/keys.js'
export type { Claims } from './features/auth/jwt/token.js'
export { jwtSigner } from './features/auth/jwt/signer.js'
export type { JwtSigner, JwtSignerOptions, NewClaims } from './features/auth/jwt/signer.js'
export { hashPassword, needsRehash, verifyPassword } from './features/auth/password.js'
export type { PasswordOptions } from './features/auth/password.js'
export { signWebhook, webhook } from './features/auth/webhook.js'
export type { NewWebhook, Webhook, WebhookHeaders, WebhookOptions } from './features/auth/webhook.js'
