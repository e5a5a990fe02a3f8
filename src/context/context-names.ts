/** The closed set of names by which handlers and providers get what belongs to the request. */

/** The name of a source, or of something that comes with every request. */
export type ContextName =
  'params' | 'query' | 'headers' | 'cookies' | 'body' | 'rawBody' | 'request' | 'response' | 'signal' | 'log'

/** The names that handlers get in their input; neither a service nor a provider may have one of them. */
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
