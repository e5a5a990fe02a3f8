/** `verbena/client`: the typed client. */
export type { Answers, Failure, Json, Success, WithReturns } from './client/answer-types.js'
export type { Asked, CallOptions, HeaderValues, NoContract } from './client/ask-types.js'
export type { ClassesByPath, Client, ClientOf, EndpointCall, EndpointsAt } from './client/client-types.js'
export { createClient } from './client/create-client.js'
export type { ClientOptions } from './client/create-client.js'
