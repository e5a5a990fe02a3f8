/** Compares what clients must show of who they are. Schemes are the same where they say the same, whatever they are called. */
import type { Change, Operation } from './finding.js'
import { canonical, child, children, member, type DocumentPlace } from './place.js'

/** What must be shown together: scopes by scheme. */
type SchemeRequirement = ReadonlyMap<string, readonly string[]>

interface Security {
  readonly place: DocumentPlace
  /** Any one of them will do. */
  readonly alternatives: readonly SchemeRequirement[]
}

/** Clients that had what was asked for must still have it. */
export function securityChanges(before: Operation, after: Operation): Change[] {
  const [old, now] = [operationSecurity(before), operationSecurity(after)]
  const lost = old.alternatives.filter((had) => !now.alternatives.some((wanted) => holds(had, wanted)))
  const { pointer } = now.place
  return lost.map((had) => {
    if (had.size === 0) return { rule: 'api-security-added', pointer, message: 'it needs credentials now' }
    const isScope = now.alternatives.some((wanted) => [...wanted.keys()].every((scheme) => had.has(scheme)))
    return isScope
      ? { rule: 'api-security-scope-added', pointer, message: 'its credentials need another scope now' }
      : { rule: 'api-security-removed', pointer, message: 'it no longer takes credentials that it took' }
  })
}

/** Of the operation, or else of the document; without any, nothing is asked for. */
function operationSecurity({ operation, document }: Operation): Security {
  const securityPlace = child(operation, 'security')
  const place = securityPlace.value === undefined ? child(document, 'security') : securityPlace
  const alternatives = children(place).map(([, requirement]) => toRequirement(requirement, document))
  const isSaid = place.value !== undefined
  return { place: isSaid ? place : operation, alternatives: alternatives.length === 0 ? [new Map()] : alternatives }
}

function toRequirement(requirement: DocumentPlace, document: DocumentPlace): SchemeRequirement {
  const schemes = child(child(document, 'components'), 'securitySchemes')
  return new Map(
    children(requirement).map(([name, scopes]) => {
      const scheme = member(schemes, name)
      const unknownSchemes = children(scheme).filter(([key]) => !WORDS.has(key))
      const key = unknownSchemes.map(([of, place]) => `${of}: ${canonical(place)}`).toSorted()
      return [key.join(), children(scopes).map(([, { value }]) => String(value))]
    }),
  )
}

/** What is said of a scheme, but not asked for. */
const WORDS: ReadonlySet<string> = new Set(['description', 'bearerFormat', 'flows', 'openIdConnectUrl'])

function holds(had: SchemeRequirement, wanted: SchemeRequirement): boolean {
  return [...wanted].every(
    ([scheme, scopes]) => scopes.every((scope) => had.get(scheme)?.includes(scope)) && had.has(scheme),
  )
}
