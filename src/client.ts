/** `verbena/client`: the typed client. */

// # Client
export { createClient } from './client/create-client.js'
export type { ClientOptions } from './client/create-client.js'
export type { Client } from './client/client-types.js'
export type { CallOptions, HeaderValues } from './client/ask-types.js'
export type { Success, Failure } from './client/answer-types.js'

// # Inferred types
export type { Answers, Json, WithReturns } from './client/answer-types.js'
export type { Asked, NoContract } from './client/ask-types.js'
export type { ClassesByPath, ClientOf, EndpointCall, EndpointsAt } from './client/client-types.js'
