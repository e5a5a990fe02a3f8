/** Compares `contains`, `minContains` and `maxContains`: how many items of an array must match a schema. */
import { finding, keywordPointer, type ChangeFinding, type Pair, type Side } from './finding.js'
import { isRecord } from '../../values/objects.js'
import type { Alternative } from './alternatives.js'
import { canonical, child, type DocumentLocation } from './place.js'

interface Contains {
  readonly schema: DocumentLocation
  readonly min: number
  readonly max: number
}

/** Whether clients of the old schema also work with the new one. */
type IsCompatible = (old: DocumentLocation, now: DocumentLocation, side: Side) => boolean

/** Reports counts that a request must now have, or that a response no longer guarantees. */
export function containsFindings(pair: Pair, isCompatible: IsCompatible): ChangeFinding[] {
  const { before, after, side } = pair
  const [old, now] = [readContains(before), readContains(after)]
  const [free, bound] = side === 'request' ? [old, now] : [now, old]
  const matches = (one: Contains, other: Contains, way: Side): boolean =>
    side === 'request' ? isCompatible(one.schema, other.schema, way) : isCompatible(other.schema, one.schema, way)
  // A wider schema matches at least as many items, a narrower one at most as many.
  const implies = (known: Contains, { schema, min, max }: Contains): boolean =>
    (min === 0 || (known.min >= min && matches(known, { ...known, schema }, side))) &&
    (max === Infinity || (known.max <= max && matches(known, { ...known, schema }, oppositeSide(side))))
  const lost = bound.find(
    (each) => (each.min > 0 || each.max < Infinity) && !free.some((known) => implies(known, each)),
  )
  if (lost === undefined) return []
  const same = free.find(({ schema }) => canonical(schema) === canonical(lost.schema))
  const [keyword, name] = changedKeyword(lost, same)
  const only = side === 'request' ? 'added' : 'removed'
  const how = free.length === 0 ? only : 'changed'
  return [finding(`*-${name}-${how}`, keywordPointer(after, keyword), `has a different "${keyword}"`)]
}

function changedKeyword(lost: Contains, same: Contains | undefined): readonly [keyword: string, name: string] {
  if (same === undefined) return ['contains', 'contains']
  return same.min < lost.min ? ['minContains', 'min-contains'] : ['maxContains', 'max-contains']
}

function readContains({ schemas }: Alternative): Contains[] {
  return schemas.flatMap((place) => {
    const schema = child(place, 'contains')
    if (!isRecord(place.value) || schema.value === undefined) return []
    const { minContains: min = 1, maxContains: max = Infinity } = place.value
    return [{ schema, min: Number(min), max: Number(max) }]
  })
}

function oppositeSide(side: Side): Side {
  return side === 'request' ? 'response' : 'request'
}
