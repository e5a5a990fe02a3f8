/** Settings of the Express app and of all steps. */

/** Origin of the pages that may use the API. */
export const ORIGIN = 'https://app.example'
/** Maximum size of a photo, in bytes. */
export const MAX_PHOTO = 1_000_000
/** Signs the cookies of sessions. Set it in production: `openssl rand -base64 32`. */
export const SECRET = process.env['SESSION_SECRET'] ?? 'only for development, never in production'
