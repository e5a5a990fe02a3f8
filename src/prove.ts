/**
 * `verbena/prove`: proofs about an app, for tests and the command line. No app loads it in production.
 *
 * @module
 */

// # Proofs
export { surface, surfaceFields } from './prove/surface.js'
export type { LeavingField, LeavingPlace } from './prove/surface.js'
