/** Methods that look as if they were meant for endpoints, and are none. That is legal: a helper may have any name but five. */
import { VERBS } from '../../http/methods.js'
import { Route } from '../../route/route.js'
import { isVerb, VERB_NAMES } from '../../route/verbs.js'

const WORDS = [...VERBS, 'head', 'options'].join('|')
/** `getById` and `get_by_id`; not `getter`. */
const BEGINS = new RegExp(`^(?:${WORDS})[A-Z_\\d]`)
/** `GET`, `head`. */
const IS = new RegExp(`^(?:${WORDS})$`, 'i')

export function methodNotes(prototype: object): string[] {
  const names = [...new Set(methodNames(prototype))]
  return names
    .filter((name) => !isVerb(name) && (BEGINS.test(name) || IS.test(name)))
    .map((name) => `"${name}" is a helper and no endpoint: endpoints are the methods ${VERB_NAMES}.`)
}

/** Methods alone: what a getter would give is not asked for. */
function methodNames(prototype: object): string[] {
  if (prototype === Route.prototype) return []
  const members = Object.entries(Object.getOwnPropertyDescriptors(prototype))
  const own = members.filter(([, { value }]) => typeof value === 'function').map(([name]) => name)
  return [...own, ...methodNames(Object.getPrototypeOf(prototype))]
}
