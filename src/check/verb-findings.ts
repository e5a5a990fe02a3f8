/** Findings about methods that look like endpoints, but handle no requests. */
import { PLAIN_VERBS, VERB_NAMES } from '../http/methods.js'
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
        if (typeof value !== 'function' || names.has(name)) continue
        const fault = name === 'query' ? unusedQuery(create) : misspelling(name)
        if (fault === undefined) continue
        names.add(name)
        const message = `The method "${name}" of "${route}" handles no requests, because ${fault.why}`
        findings.push({ code: fault.code, route, method, message, fix: fault.fix })
      }
    }
    return findings
  })
}

type Fault = Pick<Finding, 'code' | 'fix'> & { readonly why: string }

/** A method `query` is often a helper, so it is only an endpoint with its contract. */
function unusedQuery(create: object): Fault | undefined {
  if ('query' in create) return undefined
  const fix = 'Add "static readonly query = this.contract({ body: … })" to handle QUERY requests, or rename a helper'
  return { code: 'QUERY_UNUSED', why: 'it has no contract', fix }
}

function misspelling(name: string): Fault | undefined {
  const lowerCase = name.toLowerCase()
  const verb = PLAIN_VERBS.find((each) => each === lowerCase && each !== name)
  const fix = verb === undefined ? FIXES.get(lowerCase) : `Rename it to "${verb}"`
  return fix === undefined ? undefined : { code: 'VERB_MISSPELLED', why: 'it is not named after a verb', fix }
}
