/**
 * `verbena/auth`: tokens that your app signs, hashes of passwords, and signed webhooks.
 *
 * @module
 */

// # Authentication
export { jwtSigner } from './features/auth/jwt/signer.js'
export type { JwtSigner, JwtSignerOptions, NewClaims } from './features/auth/jwt/signer.js'
export { hashPassword, needsRehash, verifyPassword } from './features/auth/password.js'
export type { PasswordOptions } from './features/auth/password.js'
export { signWebhook, webhook } from './features/auth/webhook.js'
export type { NewWebhook, Webhook, WebhookHeaders, WebhookOptions } from './features/auth/webhook.js'
