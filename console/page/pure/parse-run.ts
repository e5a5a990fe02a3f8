/** Parses runs of the app from files and from the storage of the browser. */
import type { EarlierRun, EndpointMedian, Incident } from '../../../src/devconsole/wire/feed-types.js'
import { objectOrEmpty } from '../../../src/devconsole/wire/json-schema.js'
import { parseList, numberOr, textOr, parseStrings } from './parse-values.js'

const KINDS: readonly Incident['kind'][] = [
  ...(['exception', 'slow', 'invalid', 'repeated', 'stall'] as const),
  ...(['mismatch', 'version', 'silent', 'large', 'burst'] as const),
]

/** Parses a run. Returns `null` if it has no boot or no start. */
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
  const json = objectOrEmpty(value)
  const kind = KINDS.find((each) => each === json['kind'])
  if (kind === undefined || typeof json['key'] !== 'string') return null
  return {
    key: json['key'],
    kind,
    endpoint: textOr(json['endpoint'], null),
    title: parseStrings(json['title']),
    detail: textOr(json['detail'], ''),
    count: numberOr(json['count'], 1),
    unit: textOr(json['unit'], 'times'),
    trend: parseList(json['trend'], (each) => numberOr(each, null)),
    first: numberOr(json['first'], 0),
    last: numberOr(json['last'], 0),
    facts: parseStrings(json['facts']),
    query: textOr(json['query'], ''),
    sample: textOr(json['sample'], null),
  }
}
