/** Which drafts of components are the same, however they refer to each other. */
import { isObject } from '../values/objects.js'
import type { Draft } from './draft.js'

/** Finds the draft that a reference leads to; `undefined` for what is no reference. */
export type TargetOf = (reference: object) => Draft | undefined

type Numbered = (reference: object) => number | undefined

/**
 * Finds for each draft the first that is the same: in the same group, with the same text, referring to the same. At
 * first all references count as the same; then they are told apart until nothing changes any more (partition
 * refinement), so that recursive schemas come to an end.
 */
export function firstOfSame(drafts: readonly Draft[], targetOf: TargetOf): ReadonlyMap<Draft, Draft> {
  let first = told(drafts, (reference) => (targetOf(reference) === undefined ? undefined : 0))
  for (let count = 0; new Set(first.values()).size > count;) {
    const classes = [...new Set(first.values())]
    count = classes.length
    const numbers = new Map([...first].map(([draft, one]) => [draft, classes.indexOf(one)]))
    first = told(drafts, (reference) => {
      const target = targetOf(reference)
      return target && numbers.get(target)
    })
  }
  return first
}

function told(drafts: readonly Draft[], numberOf: Numbered): Map<Draft, Draft> {
  const groups = new Map<unknown, Map<string, Draft>>()
  return new Map(
    drafts.map((draft) => {
      const byText = groups.get(draft.group) ?? new Map<string, Draft>()
      groups.set(draft.group, byText)
      const text = JSON.stringify(comparable(draft.content, numberOf))
      const first = byText.get(text) ?? draft
      byText.set(text, first)
      return [draft, first]
    }),
  )
}

/** The order of keys does not count. */
function comparable(value: unknown, numberOf: Numbered): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, numberOf))
  if (!isObject(value)) return value
  const number = numberOf(value)
  const whole = number === undefined ? value : { ...value, $ref: number }
  return Object.entries(whole)
    .map(([key, member]) => [key, comparable(member, numberOf)] as const)
    .toSorted(byKey)
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}
