/** Findings about overlapping path templates of which neither is more specific, and about bodies that a redirect loses. */
import { parseTemplate, type Segment, type Template } from '../router/template.js'
import type { Endpoint } from '../request/endpoint.js'
import type { Finding } from './findings.js'

/**
 * Reports bodies of forms with files and streams, if a request with a slash at the end is redirected. `fetch` of Node.js 20 to 24 sends a
 * `FormData` again with a wrong boundary. needle sends a GET, superagent omits the body, and got with form-data waits for its timeout.
 */
export function redirectedBodies(endpoints: readonly Endpoint[], trailingSlash: string): Finding[] {
  if (trailingSlash !== 'redirect') return []
  const affected = endpoints.filter(({ body, path }) => KINDS.has(body?.kind) && path !== '/')
  return affected.map(({ route, method, path, body }) => {
    const what = body?.kind === 'read' ? 'a form with files' : 'a stream'
    const message = `"${method} ${path}/" is redirected with 308, but several clients do not send ${what} again`
    return { code: 'BODY_REDIRECTED', route, method, message, fix: `Write "trailingSlash: 'ignore'"` }
  })
}

const KINDS: ReadonlySet<unknown> = new Set(['read', 'stream', 'jsonLines'])

interface OverlapPlace {
  /** First endpoint with the template. */
  readonly endpoint: Endpoint
  readonly template: Template
}

/** Reports overlaps such as `/users/{id}/posts` and `/users/me/{page}`, but not `/users/me` and `/users/{id}`. */
export function pathFindings(endpoints: readonly Endpoint[]): Finding[] {
  const byPath = new Map<string, OverlapPlace>()
  for (const endpoint of endpoints) {
    if (byPath.has(endpoint.path)) continue
    byPath.set(endpoint.path, { endpoint, template: parseTemplate(endpoint.path, endpoint.route) })
  }
  // Each of two such templates has a parameter where the other has a literal.
  const places = [...byPath.values()].filter(({ template }) => template.names.length > 0)
  const texts = new Set(byPath.keys())
  return places.flatMap((second, index) => places.slice(0, index).flatMap((first) => overlap(first, second, texts)))
}

function overlap(first: OverlapPlace, second: OverlapPlace, texts: ReadonlySet<string>): Finding[] {
  const steps = pairSteps(first.template.segments, second.template.segments)
  const sides = new Set((steps ?? []).map(({ narrower }) => narrower))
  if (steps === undefined || !sides.has('first') || !sides.has('second')) return []
  const path = `/${steps.map(({ text }) => text).join('/')}`
  if (texts.has(path)) return []
  const [one, other] = [first.template.text, second.template.text]
  const winner = steps.find(({ narrower }) => narrower !== null)?.narrower === 'first' ? one : other
  const { route, method } = second.endpoint
  const message = `"${one}" and "${other}" both match "${path}"; "${winner}" handles it, because its literal comes first`
  const fix = `Change a literal segment, or add a route for "${path}"`
  return [{ code: 'PATHS_OVERLAP', route, method, message, fix }]
}

/** Segment of a path that matches both templates. */
interface SegmentPair {
  readonly text: string
  readonly narrower: 'first' | 'second' | null
}

/** Returns the segments of a path that matches both templates; `undefined` if there is none. */
function pairSteps(first: readonly Segment[], second: readonly Segment[]): SegmentPair[] | undefined {
  const length = Math.max(first.length, second.length)
  const steps: SegmentPair[] = []
  for (let at = 0; at < length; at++) {
    const step = pairStep(sampleSegment(first, at), sampleSegment(second, at))
    if (step === undefined) return undefined
    steps.push(step)
  }
  return steps
}

/** Returns the segment at an index. A wildcard repeats, because it matches all remaining segments. */
function sampleSegment(segments: readonly Segment[], at: number): Segment | undefined {
  const lastSegment = segments.at(-1)
  return segments[at] ?? (lastSegment?.kind === 'wildcard' ? lastSegment : undefined)
}

function pairStep(first: Segment | undefined, second: Segment | undefined): SegmentPair | undefined {
  if (first === undefined || second === undefined) return undefined
  const order = SEGMENT_RANKS[first.kind] - SEGMENT_RANKS[second.kind]
  if (order !== 0)
    return { text: sampleSegmentText(order < 0 ? first : second), narrower: order < 0 ? 'first' : 'second' }
  return sampleSegmentText(first) === sampleSegmentText(second)
    ? { text: sampleSegmentText(first), narrower: null }
    : undefined
}

const SEGMENT_RANKS: Readonly<Record<Segment['kind'], number>> = { literal: 0, parameter: 1, wildcard: 2 }

function sampleSegmentText(segment: Segment): string {
  return segment.kind === 'literal' ? segment.text : 'x'
}
