/** Parts of a record: both messages, the version outcome, what is notable. */
import { Buffer } from 'node:buffer'
import type { TrailAnswer, TrailFacts, TrailVersion } from '../../observe/trail.js'
import { captureBody } from './bodies.js'
import { beginOf } from '../redact/cut.js'
import type { Hider } from '../redact/hider.js'
import type { BodyCapture } from '../host/console-settings.js'
import type { Flag, IssueDetail, Message, VersionDetail } from '../wire/request-types.js'

const LONGEST_VERSION = 100

/** What messages are kept with. */
export interface MessageScope {
  readonly hider: Hider
  readonly capture: BodyCapture
}

/** The request of a call. */
export function requestOf(scope: MessageScope, body: Uint8Array | null, headers: TrailFacts['headers']): Message {
  const { hider, capture } = scope
  const declared = Number(headers['content-length'] ?? 0)
  const size = body?.byteLength ?? (Number.isSafeInteger(declared) ? declared : 0)
  const hasBody = size > 0 || headers['transfer-encoding'] !== undefined
  const seen = { type: headers['content-type'], coding: headers['content-encoding'], data: body, size }
  return {
    headers: hider.headers(Object.entries(headers)),
    body: hasBody ? captureBody(seen, capture, hider) : null,
  }
}

/** The answer of a call. */
export function responseOf(
  { hider, capture }: MessageScope,
  { answer, streamed, lines }: Pick<TrailFacts, 'answer' | 'streamed' | 'lines'>,
  method: string,
): Message {
  if (answer === null) return { headers: [], body: null }
  const { headers, payload } = answer
  const type = headers.get('content-type') ?? payload.type
  const shown = hider.headers(pairsOf(lines))
  if (payload.data === null || method === 'HEAD') return { headers: shown, body: null }
  const data = heldBy(payload)
  const size = data === null ? streamed : sizeOf(data)
  return {
    headers: shown,
    body: captureBody({ type, coding: headers.get('content-encoding'), data, size }, capture, hider),
  }
}

function pairsOf(lines: readonly string[]): (readonly [string, string | undefined])[] {
  const pairs: (readonly [string, string | undefined])[] = []
  for (let index = 0; index < lines.length; index += 2) pairs.push([String(lines[index]), lines[index + 1]])
  return pairs
}

function heldBy({ data }: TrailAnswer['payload']): string | Uint8Array | null {
  return typeof data === 'string' || data instanceof Uint8Array ? data : null
}

function sizeOf(data: string | Uint8Array): number {
  return typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength
}

/** What became of the version that was asked for. Returns the outcome; `null` where the path has no versions. */
export function versionOf(
  version: TrailVersion | undefined,
  versioning: { readonly place: string; readonly fallback: string },
  hider: Hider,
): VersionDetail | null {
  if (version === undefined) return null
  const { asked, constraint, alternatives } = version
  return {
    asked: asked === undefined ? versioning.fallback : hider.text(beginOf(asked, LONGEST_VERSION)),
    constraint: constraint ?? alternatives.join(', '),
    ok: constraint !== undefined,
    from: versioning.place,
    isDefault: asked === undefined,
    alternatives,
  }
}

/** What is looked at for what is notable. */
export interface Seen {
  readonly status: number
  readonly isSlow: boolean
  readonly isAborted: boolean
  readonly isRepeated: boolean
  readonly issues: readonly IssueDetail[]
  readonly version: VersionDetail | null
}

/** What is notable of a call. */
export function flagsOf({ status, isSlow, isAborted, isRepeated, issues, version }: Seen): Flag[] {
  const flags: Flag[] = []
  if (status >= 500) flags.push('error')
  if (isAborted) flags.push('aborted')
  if (issues.some(({ side }) => side === 'response')) flags.push('mismatch')
  if (issues.some(({ side }) => side === 'request')) flags.push('invalid')
  if (version !== null && !version.ok) flags.push('version')
  if (isSlow) flags.push('slow')
  if (isRepeated) flags.push('n+1')
  return flags
}
