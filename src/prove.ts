/**
 * `verbena/prove`: proofs about an app, for tests and the command line. An app in production loads none of it.
 *
 * @module
 */

// # Proofs
export { surface, surfaceFields } from './prove/surface.js'
export type { LeavingField, LeavingPlace } from './prove/surface.js'
