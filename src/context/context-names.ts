/** Names of the properties that handlers and providers receive for each request. */

export type ContextName =
  'params' | 'query' | 'headers' | 'cookies' | 'body' | 'rawBody' | 'request' | 'response' | 'signal' | 'log'

/** Reserved names: a service or provider cannot have one of them. */
export const CONTEXT_NAMES: readonly string[] = Object.keys({
  params: 0,
  query: 0,
  headers: 0,
  cookies: 0,
  body: 0,
  rawBody: 0,
  request: 0,
  response: 0,
  signal: 0,
  log: 0,
} satisfies Record<ContextName, 0>)
