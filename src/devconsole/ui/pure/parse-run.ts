/** Reads runs of the app from files and from the storage of the browser. */
import type { EarlierRun, EndpointMedian, Incident } from '../../wire/feed-types.js'
import { objectOrEmpty } from '../../wire/json-schema.js'
import { parseList, numberOr, textOr, parseStrings } from './parse-values.js'

const KINDS: readonly Incident['kind'][] = [
  ...(['exception', 'slow', 'invalid', 'repeated', 'stall'] as const),
  ...(['mismatch', 'version', 'silent', 'large', 'burst'] as const),
]

/** Parses a run. Returns `null` if it has no boot or begin. */
export function parseRun(value: unknown): EarlierRun | null {
  const { boot, started, incidents, endpoints } = objectOrEmpty(value)
  if (typeof boot !== 'string' || typeof started !== 'number' || !Number.isFinite(started)) return null
  return {
    boot,
    started,
    incidents: parseList(incidents, parseIncident),
    endpoints: parseList(endpoints, parseEndpoint),
  }
}

function parseEndpoint(value: unknown): EndpointMedian | null {
  const { endpoint, median } = objectOrEmpty(value)
  return typeof endpoint === 'string' ? { endpoint, median: numberOr(median, 0) } : null
}

function parseIncident(value: unknown): Incident | null {
  const given = objectOrEmpty(value)
  const kind = KINDS.find((each) => each === given['kind'])
  if (kind === undefined || typeof given['key'] !== 'string') return null
  return {
    key: given['key'],
    kind,
    endpoint: textOr(given['endpoint'], null),
    title: parseStrings(given['title']),
    detail: textOr(given['detail'], ''),
    count: numberOr(given['count'], 1),
    unit: textOr(given['unit'], 'times'),
    trend: parseList(given['trend'], (each) => numberOr(each, null)),
    first: numberOr(given['first'], 0),
    last: numberOr(given['last'], 0),
    facts: parseStrings(given['facts']),
    query: textOr(given['query'], ''),
    sample: textOr(given['sample'], null),
  }
}
