/** Reverse routing: builds a path from a route class, parameters and query. */
import type { Linkable, QueryValues } from '../context/types.js'
import { fillTemplate, type FillValues } from '../router/template.js'
import { toJsonValue } from '../values/objects.js'
import type { Registry } from './register.js'

export function buildHref(
  templates: Registry['templates'],
  route: Linkable,
  params: object,
  query: QueryValues = {},
): string {
  const [template] = [...templates].find(([known]) => known === route)?.[1] ?? []
  if (template === undefined) throw new Error(`Cannot link to "${route.name}": it is not registered in this app`)
  return fillTemplate(template, formatParams(params)) + queryText(query)
}

/** Formats values as JSON does, such as dates. Omits missing parameters, so that they do not become the string `undefined`. */
function formatParams(params: object): FillValues {
  const present = Object.entries(params).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(present.map(([name, value]) => [name, formatParam(value)]))
}

function formatParam(value: unknown): string | string[] {
  const json = toJsonValue(value)
  return Array.isArray(json) ? json.map((item) => String(toJsonValue(item))) : String(json)
}

function queryText(query: QueryValues): string {
  const pairs = Object.entries(query).flatMap(([key, value]) => {
    const values = [value].flat().filter((each) => each !== undefined && each !== null)
    return values.map((each) => `${encodeURIComponent(key)}=${encodeURIComponent(each)}`)
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
