/** `verbena/auth`: tokens that your app signs, and hashes of passwords. */

// # Authentication
export { jwtSigner } from './features/auth/jwt/signer.js'
export type { JwtSigner, JwtSignerOptions, NewClaims } from './features/auth/jwt/signer.js'
export { hashPassword, needsRehash, verifyPassword } from './features/auth/password.js'
