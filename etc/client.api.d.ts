import { H as HeaderValues, C as Client } from './core.js'
export {
  A as Answers,
  b as Asked,
  c as CallOptions,
  d as ClassesByPath,
  e as ClientOf,
  E as EndpointCall,
  f as EndpointsAt,
  F as Failure,
  g as Failures,
  h as FormattedFailures,
  i as HeadedFailure,
  j as HeadedSuccess,
  I as IdempotencyKey,
  k as Json,
  K as KnownHeaders,
  M as Marked,
  N as NoContract,
  O as OtherFailure,
  l as Success,
  W as WithReturns,
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
