import { HeaderValues, Client } from './core.js'
export {
  AsStream,
  CallOptions,
  ClassesByPath,
  ClientOf,
  EndpointCall,
  EndpointOptions,
  EndpointResponses,
  EndpointsAt,
  EventStream,
  Failure,
  Failures,
  FormattedFailures,
  HeadedFailure,
  HeadedSuccess,
  IdempotencyKey,
  Json,
  KnownHeaders,
  Marked,
  NoContract,
  OtherFailure,
  RangeCall,
  RangeOption,
  ReconnectOption,
  ReconnectOptions,
  StreamFailure,
  StreamFailureOf,
  Success,
  WithReturns,
  isStreamFailure,
} from './core.js'
interface UnreadableResponse extends Error {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly cause: SyntaxError
}
interface ClientOptions {
  readonly fetch?: (request: Request) => Promise<Response>
  readonly headers?: HeaderValues
}
declare function createClient<A>(baseUrl: string, { fetch: send, headers }?: ClientOptions): Client<A>
export { Client, HeaderValues, createClient }
export type { ClientOptions, UnreadableResponse }
