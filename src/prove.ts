/**
 * `verbena/prove`: proofs about an app, for tests and the command line. An app in production loads none of it.
 *
 * @module
 */

// # Proofs
export { surface } from './prove/surface.js'
