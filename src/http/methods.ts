/** Request methods (RFC 9110 section 9): which ones a route can answer, and which the server knows. */

/** The names of methods that make an endpoint of a route's method. */
export const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** One of the five verbs, as a method of a route is named. */
export type Verb = (typeof VERBS)[number]

export const VERB_NAMES: string = VERBS.join(', ')

export function isVerb(name: string): name is Verb {
  return VERBS.some((verb) => verb === name)
}

/** The verb that answers each known request method; HEAD is answered by `get`, OPTIONS by none. */
export const VERB_BY_METHOD: ReadonlyMap<string, Verb | undefined> = new Map<string, Verb | undefined>([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'post'],
  ['PUT', 'put'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
  ['OPTIONS', undefined],
])

/** The value of `Allow` (RFC 9110 section 10.2.1) for a path that answers some verbs. */
export function formatAllow(verbs: Iterable<Verb>): string {
  const methods = new Set(['OPTIONS'])
  for (const verb of verbs) {
    methods.add(verb.toUpperCase())
    if (verb === 'get') methods.add('HEAD')
  }
  return [...methods].toSorted().join(', ')
}
