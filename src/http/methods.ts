/** Request methods (RFC 9110 section 9) that routes can handle, and all methods that Verbena recognizes. */

/** Names of route methods that become endpoints. */
export const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Name of a route method that is an endpoint. */
export type Verb = (typeof VERBS)[number]

export const VERB_NAMES: string = VERBS.join(', ')

export function isVerb(name: string): name is Verb {
  return VERBS.some((verb) => verb === name)
}

/** Verb by request method. `get` also handles HEAD. Verbena handles OPTIONS without a verb. */
export const VERB_BY_METHOD: ReadonlyMap<string, Verb | undefined> = new Map<string, Verb | undefined>([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'post'],
  ['PUT', 'put'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
  ['OPTIONS', undefined],
])

/** Formats the `Allow` header (RFC 9110 section 10.2.1) of a path with some verbs. */
export function formatAllow(verbs: Iterable<Verb>): string {
  const methods = new Set(['OPTIONS'])
  for (const verb of verbs) {
    methods.add(verb.toUpperCase())
    if (verb === 'get') methods.add('HEAD')
  }
  return [...methods].toSorted().join(', ')
}
