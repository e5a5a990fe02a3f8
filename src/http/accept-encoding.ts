/** Which content codings a client takes (RFC 9110 section 12.5.3). */

/** One member of the list: a coding, and its weight. Clients send weights such as `.5` and `0.80000001192092896`, too. */
const MEMBER = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)(?:[ \t]*;[ \t]*[qQ][ \t]*=[ \t]*([0-9]+\.?[0-9]*|\.[0-9]+))?$/

/**
 * The codings that a client takes, the best first; those that it does not mind stay in the order of the offers. `identity` is among them
 * unless it is refused: behind the others, unless the client says more of it. Without the field it stands alone.
 */
export function codingsFor(field: string | undefined, offers: readonly string[]): string[] {
  if (field === undefined) return ['identity']
  const weights = new Map<string, number>()
  for (const member of field.split(',')) {
    const [, name, weight = '1'] = MEMBER.exec(member.trim()) ?? []
    // Identity is safe where a weight makes no sense.
    if (name !== undefined && Number(weight) <= 1)
      weights.set(name.toLowerCase().replace(/^x-gzip$/, 'gzip'), Number(weight))
  }
  const anyWeight = weights.get('*') ?? 0
  const weigh = (name: string): number => weights.get(name) ?? anyWeight
  // One that nobody names is taken, too, but a client that names others wants those.
  const identity = weights.get('identity') ?? (weights.get('*') === 0 ? 0 : MIN_WEIGHT)
  return [...offers.map((name) => ({ name, weight: weigh(name) })), { name: 'identity', weight: identity }]
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ name }) => name)
}

/** Below every weight that can be written. */
const MIN_WEIGHT = 0.0001
