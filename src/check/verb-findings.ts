/** Findings about methods whose name looks like a verb, but is not one. */
import { VERB_NAMES, VERBS } from '../http/methods.js'
import type { Endpoint } from '../request/endpoint.js'
import { Route } from '../route/route.js'
import type { Finding } from './findings.js'

/** Fixes by names that other frameworks use. */
const FIXES: ReadonlyMap<string, string> = new Map([
  ['del', 'Rename it to "delete"'],
  ['head', 'Remove it: "get" also handles HEAD'],
  ['options', 'Remove it: Verbena responds to OPTIONS, and the option "cors" to preflight requests'],
  ['all', `Write a method for each verb: ${VERB_NAMES}`],
])

/** Reports each such method once, in classes that also have an endpoint. A class without endpoints is a setup error. */
export function misspelledVerbs(endpoints: readonly Endpoint[]): Finding[] {
  const seen = new Map<object, Set<string>>()
  return endpoints.flatMap(({ route, method, create }) => {
    const findings: Finding[] = []
    for (let owner: object = create.prototype; owner !== Route.prototype; owner = Object.getPrototypeOf(owner)) {
      const names = seen.get(owner) ?? new Set()
      seen.set(owner, names)
      for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
        const fix = findFix(name)
        if (fix === undefined || typeof value !== 'function' || names.has(name)) continue
        names.add(name)
        const message = `The method "${name}" of "${route}" handles no requests, because it is not named after a verb`
        findings.push({ code: 'VERB_MISSPELLED', route, method, message, fix })
      }
    }
    return findings
  })
}

function findFix(name: string): string | undefined {
  const lowerCase = name.toLowerCase()
  const verb = VERBS.find((each) => each === lowerCase && each !== name)
  return verb === undefined ? FIXES.get(lowerCase) : `Rename it to "${verb}"`
}
