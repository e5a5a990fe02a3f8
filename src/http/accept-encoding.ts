/** Parses `Accept-Encoding` (RFC 9110 section 12.5.3). */
import { TOKEN } from './fields.js'

/** A coding with an optional weight. Some clients send weights such as `.5` and `0.80000001192092896`. */
const MEMBER = new RegExp(`^(${TOKEN})(?:[ \\t]*;[ \\t]*[qQ][ \\t]*=[ \\t]*([0-9]+(?:\\.[0-9]*)?|\\.[0-9]+))?$`)

/**
 * Returns the codings that the client accepts, sorted by weight. Codings of equal weight keep the order of `offers`. `identity` is last
 * unless the client assigns it a weight, and missing if the client rejects it. Without the header, the result is only `identity`.
 */
export function acceptedCodings(field: string | undefined, offers: readonly string[]): string[] {
  if (field === undefined) return ['identity']
  const weights = new Map<string, number>()
  for (const member of field.split(',')) {
    const [, name, weight = '1'] = MEMBER.exec(member.trim()) ?? []
    // Skips malformed members and weights above 1. The response may then be uncompressed, which every client can read.
    if (name !== undefined && Number(weight) <= 1)
      weights.set(name.toLowerCase().replace(/^x-gzip$/, 'gzip'), Number(weight))
  }
  const anyWeight = weights.get('*') ?? 0
  const weigh = (name: string): number => weights.get(name) ?? anyWeight
  // An unlisted `identity` is acceptable, but the client prefers the listed codings.
  const identity = weights.get('identity') ?? (weights.get('*') === 0 ? 0 : MIN_WEIGHT)
  return [...offers.map((name) => ({ name, weight: weigh(name) })), { name: 'identity', weight: identity }]
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ name }) => name)
}

/** Less than 0.001, the smallest weight that RFC 9110 allows. */
const MIN_WEIGHT = 0.0001
