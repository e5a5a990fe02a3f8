/** Request methods (RFC 9110 section 9, RFC 10008) that routes can handle, and all methods that Verbena recognizes. */

/** Names of route methods that become endpoints. */
export const VERBS = ['get', 'post', 'put', 'patch', 'delete', 'query'] as const

/** Name of a route method that is an endpoint. */
export type Verb = (typeof VERBS)[number]

/** Verbs of the methods of a class that are endpoints. A method `query` without a contract is a helper. */
export type VerbsAt<Class> = Class extends abstract new () => infer Instance
  ? (keyof Instance & Exclude<Verb, 'query'>) | (keyof Instance & keyof Class & 'query')
  : never

/** Verb of an endpoint: `all` for a mounted handler, which handles every method. */
export type EndpointVerb = Verb | 'all'

interface VerbFacts {
  /** Whether the method only reads (RFC 9110 section 9.2.1). */
  readonly isSafe: boolean
  /** Whether a request has a body: `never`, only if the contract has one (`declared`), or also any JSON without a contract (`any`). */
  readonly body: 'never' | 'declared' | 'any'
  /** Whether only a method with a contract is an endpoint, because classes have helpers of this name. */
  readonly needsContract?: true
}

export const VERB_FACTS: Readonly<Record<EndpointVerb, VerbFacts>> = {
  get: { isSafe: true, body: 'never' },
  post: { isSafe: false, body: 'any' },
  put: { isSafe: false, body: 'any' },
  patch: { isSafe: false, body: 'any' },
  delete: { isSafe: false, body: 'declared' },
  query: { isSafe: true, body: 'declared', needsContract: true },
  all: { isSafe: false, body: 'declared' },
}

/** Verbs whose methods need no contract. */
export const PLAIN_VERBS: readonly Verb[] = VERBS.filter((verb) => VERB_FACTS[verb].needsContract !== true)

export const VERB_NAMES: string = PLAIN_VERBS.join(', ')

export function isVerb(name: string): name is Verb {
  return VERBS.some((verb) => verb === name)
}

/** Verb by request method. `get` also handles HEAD. Verbena handles OPTIONS without a verb. */
export const VERB_BY_METHOD: ReadonlyMap<string, Verb | undefined> = new Map<string, Verb | undefined>([
  ...VERBS.flatMap((verb) => methodsForVerb(verb).map((method) => [method, verb] as const)),
  ['OPTIONS', undefined],
])

/** Returns the request methods that an endpoint handles: `get` also handles HEAD. Empty for a mounted handler, which has no list. */
export function methodsForVerb(verb: EndpointVerb): string[] {
  if (verb === 'all') return []
  if (verb === 'get') return ['GET', 'HEAD']
  return [verb.toUpperCase()]
}

/** Methods that only read, so that pages of other sites cannot change anything with them (RFC 9110 section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(
  [...VERB_BY_METHOD].filter(([, verb]) => verb === undefined || VERB_FACTS[verb].isSafe).map(([method]) => method),
)

/** All methods of RFC 9110, RFC 5789 and RFC 10008, including methods that Verbena rejects with 501. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set([...VERB_BY_METHOD.keys(), 'CONNECT', 'TRACE'])

/** Formats the `Allow` header (RFC 9110 section 10.2.1) of a path with some verbs. */
export function formatAllow(verbs: Iterable<EndpointVerb>): string {
  return [...new Set(['OPTIONS', ...[...verbs].flatMap(methodsForVerb)])].toSorted().join(', ')
}
