/**
 * `verbena/prove`: proofs about an app, for tests and the command line. No app loads it in production.
 *
 * @module
 */

// # Proofs
export { surface, surfaceFields } from './prove/surface.js'
export type { LeavingField, LeavingPlace } from './prove/surface.js'

// # Authorization
export { authorization } from './prove/authorization.js'
export type { AuthorizationOptions, AuthorizationReport, ServiceCall } from './prove/authorization.js'
export type { Actor, ActorApp, ActorOption, Credentials } from './prove/actors.js'
export type { DenialKind, DenialReport } from './prove/denials.js'
export type { Example, ExampleValues } from './prove/sample-request.js'
export type { ObjectCreation, ObjectPlace, ObjectProof } from './prove/objects.js'
export type { ProofOverrides } from './prove/proof-app.js'
export { ProofFailure } from './prove/proof-failure.js'
