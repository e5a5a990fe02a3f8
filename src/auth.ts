/** `verbena/auth`: tokens that your app signs. */

// # Authentication
export { jwtSigner } from './features/auth/jwt/signer.js'
export type { JwtSigner, JwtSignerOptions, NewClaims } from './features/auth/jwt/signer.js'
