/** Compares the credentials that an operation requires. Security schemes are compared by content, not by name. */
import type { Change, Operation } from './finding.js'
import { canonical, child, children, member, type DocumentLocation } from './place.js'

/** Schemes that are required together, with the scopes of each. */
type SchemeRequirement = ReadonlyMap<string, readonly string[]>

interface Security {
  readonly place: DocumentLocation
  /** A request must satisfy one of these requirements. */
  readonly alternatives: readonly SchemeRequirement[]
}

/** Reports each old requirement that does not satisfy any new one. */
export function securityChanges(before: Operation, after: Operation): Change[] {
  const [old, now] = [operationSecurity(before), operationSecurity(after)]
  const lost = old.alternatives.filter((had) => !now.alternatives.some((wanted) => isSatisfied(had, wanted)))
  const { pointer } = now.place
  return lost.map((had) => {
    if (had.size === 0) return { rule: 'api-security-added', pointer, message: 'credentials are now required' }
    const isScope = now.alternatives.some((wanted) => [...wanted.keys()].every((scheme) => had.has(scheme)))
    return isScope
      ? { rule: 'api-security-scope-added', pointer, message: 'credentials now require another scope' }
      : { rule: 'api-security-removed', pointer, message: 'credentials that were accepted are now rejected' }
  })
}

/** Returns the security of the operation, or else of the document. If both are missing, no credentials are required. */
function operationSecurity({ operation, document }: Operation): Security {
  const securityPlace = child(operation, 'security')
  const place = securityPlace.value === undefined ? child(document, 'security') : securityPlace
  const alternatives = children(place).map(([, requirement]) => toRequirement(requirement, document))
  const isSaid = place.value !== undefined
  return { place: isSaid ? place : operation, alternatives: alternatives.length === 0 ? [new Map()] : alternatives }
}

function toRequirement(requirement: DocumentLocation, document: DocumentLocation): SchemeRequirement {
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

/** Keys of a scheme that do not change which credentials clients send. */
const WORDS: ReadonlySet<string> = new Set([
  'bearerFormat',
  'deprecated',
  'description',
  'flows',
  'oauth2MetadataUrl',
  'openIdConnectUrl',
])

function isSatisfied(had: SchemeRequirement, wanted: SchemeRequirement): boolean {
  return [...wanted].every(
    ([scheme, scopes]) => scopes.every((scope) => had.get(scheme)?.includes(scope)) && had.has(scheme),
  )
}
