/** The five names that make a method of a class an endpoint. */
import { VERBS, type Verb } from '../http/methods.js'

/** The names of verb methods, for the texts of errors. */
export const VERB_NAMES: string = VERBS.join(', ')

/** Tells whether a method of this name is an endpoint. */
export function isVerb(name: string): name is Verb {
  return VERBS.some((verb) => verb === name)
}
