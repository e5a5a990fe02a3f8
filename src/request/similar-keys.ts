/** Reports query parameters that are probably misspelled, in development. */
import { parseQuery } from '../http/target.js'
import { readMode } from '../values/mode.js'
import type { Call } from './call.js'
import type { EndpointPlan } from './endpoint.js'

const MAX_LENGTH = 100

/**
 * Returns a function that logs an unknown query parameter if it differs from a known one only by `[]`, case, `-` or `_`: one line per
 * endpoint and known parameter. Returns `null` outside of development, and if the endpoint accepts any parameter.
 */
export function similarKeyReporter({ sources, providers, route, method }: EndpointPlan): ((call: Call) => void) | null {
  if (readMode() !== 'development') return null
  const steps = providers === null ? [] : [...providers.guards, ...providers.raw]
  const all = [...sources, ...steps.flatMap((step) => step.sources)].filter(({ source }) => source === 'query')
  const knownKeys = all.flatMap(({ text }) => text.keys ?? [])
  if (knownKeys.length === 0 || all.some(({ text }) => text.keys === undefined)) return null
  const keys = new Set([...knownKeys, ...all.flatMap(({ text }) => text.spellings)])
  const similar = new Map(knownKeys.map((key) => [normalizeKey(key), key]))
  const reported = new Set<string>()
  return (call) => {
    for (const key of Object.keys(parseQuery(call.query, call.app.limits.keys))) {
      if (keys.has(key)) continue
      const match = similar.get(normalizeKey(key))
      if (match === undefined || reported.has(match)) continue
      reported.add(match)
      const fields = { route, method, parameter: key.slice(0, MAX_LENGTH), known: match }
      call.report('warn', fields, 'Query parameter ignored; a known one has a similar name')
    }
  }
}

function normalizeKey(key: string): string {
  return key.replace(/\[\]$/, '').replaceAll(/[-_]/g, '').toLowerCase()
}
