/**
 * `verbena/client`: typed client.
 *
 * @module
 */

// # Client
export { createClient } from './client/create-client.js'
export type { ClientOptions, UnreadableResponse } from './client/create-client.js'
export type { Client, CallOptions, HeaderValues, Success, Failure } from './client/client-types.js'

// # Inferred types
export type { Answers, Asked, ClassesByPath, ClientOf, EndpointCall, EndpointsAt } from './client/client-types.js'
export type { Failures, FormattedFailures, OtherFailure } from './client/client-types.js'
export type { HeadedFailure, HeadedSuccess, IdempotencyKey, KnownHeaders } from './client/client-types.js'
export type { Json, Marked, NoContract, WithReturns } from './client/client-types.js'
