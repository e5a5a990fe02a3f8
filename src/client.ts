/**
 * `verbena/client`: typed client.
 *
 * @module
 */

// # Client
export { createClient } from './client/create-client.js'
export type { ClientOptions, UnreadableResponse } from './client/create-client.js'
export type { Client, CallOptions, HeaderValues } from './client/client-types.js'
export type { Success, Failure } from './client/response-types.js'

// # Streams
export { isStreamFailure } from './client/stream-failure.js'
export type { EventStream, StreamFailure, StreamFailureOf } from './client/stream-failure.js'
export type { ReconnectOption, ReconnectOptions } from './client/reconnect.js'

// # Inferred types
export type {
  AsStream,
  ClassesByPath,
  ClientOf,
  EndpointCall,
  EndpointOptions,
  EndpointResponses,
  EndpointsAt,
} from './client/client-types.js'
export type { Failures, FormattedFailures, Marked, NoContract, OtherFailure } from './client/client-types.js'
export type { IdempotencyKey, RangeCall, RangeOption, WithReturns } from './client/client-types.js'
export type { HeadedFailure, HeadedSuccess, KnownHeaders } from './client/response-types.js'
export type { Json } from './client/json-types.js'
