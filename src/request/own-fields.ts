/**
 * Header fields that answers have whatever their author says: of the version, of the end of an endpoint, of the time that was
 * taken. They come last, so that no middleware loses them. Each field costs Node some 0.4 µs; what of it is known when the app
 * is made is prepared, and an answer without fields takes it as it is.
 */
import type { FullReply } from '../context/reply.js'
import { HttpError } from '../errors/http-error.js'
import type { Answer } from '../http/exchange.js'
import { applyChanges, NO_FIELDS, writeFields, type FieldChange } from '../http/fields.js'
import type { Choice, Endpoint, OwnFields, PathRecord, PathVersions } from './endpoint.js'

/** A call that is answered. */
export interface AnsweredCall {
  readonly record: PathRecord | null
  readonly prepared: Endpoint | null
  readonly choice: Choice | null
  /** How long it took, in ms. */
  readonly duration: number
}

/** Prepares fields. */
export function ownFields(changes: readonly FieldChange[]): OwnFields {
  const lines: string[] = []
  writeFields(applyChanges(NO_FIELDS, changes), lines)
  return { changes, lines }
}

const NOTHING = ownFields([])

/** What of the request an answer depends on, for caches (RFC 9110 section 12.5.5). */
export function variesBy(vary: string): FieldChange {
  return { name: 'vary', value: vary, append: true }
}

/** Tells whether answers of a call have fields of their own. */
export function hasOwnFields(call: AnsweredCall): boolean {
  return versionsOf(call) !== null || (call.prepared !== null && call.prepared.hasFields)
}

/** Adds the fields of its endpoint to an answer: those of an error, too. */
export function withOwnFields(call: AnsweredCall, reply: FullReply): Answer {
  const { choice, prepared } = call
  const known = choice ?? prepared
  const time = prepared !== null && prepared.isTimed ? timeFields(call.duration) : NOTHING
  if (known === null || (choice === null && versionsOf(call) !== null) || reply.headers.size > 0) {
    return reply.withFields(applyChanges(reply.headers, changesOf(call, time)))
  }
  const { status, headers, payload } = reply
  const { lines } = known.own
  return { status, headers, payload, lines: lines.length === 0 ? time.lines : [...lines, ...time.lines] }
}

function versionsOf({ record }: AnsweredCall): PathVersions | null {
  return record === null ? null : record.versions
}

function changesOf(call: AnsweredCall, time: OwnFields): FieldChange[] {
  const { prepared, choice } = call
  const versions = versionsOf(call)
  const changes = [...((choice ?? prepared)?.own.changes ?? [])]
  if (choice === null && versions !== null) changes.push(variesBy(versions.vary))
  return [...changes, ...time.changes]
}

/** By µs, as they come up: nearly all answers take less than a millisecond, and to print a fraction costs 0.2 µs. */
const BELOW_ONE_MS = Array.from<OwnFields | undefined>({ length: 1000 })

/** How long a call took (Server Timing, section 3), beside what its author measured. */
function timeFields(duration: number): OwnFields {
  const micros = Math.round(duration * 1000)
  if (micros >= BELOW_ONE_MS.length) return timeOf(micros)
  return (BELOW_ONE_MS[micros] ??= timeOf(micros))
}

function timeOf(micros: number): OwnFields {
  // Joined, the text is in one piece: Node reads it twice and copies it once.
  return ownFields([{ name: 'server-timing', value: ['app;dur=', micros / 1000].join(''), append: true }])
}

/** Refuses requests for what has been withdrawn (RFC 8594). */
export function refuseWithdrawn({ deprecation }: Endpoint): void {
  if (deprecation !== null && Date.now() >= deprecation.sunset) {
    throw new HttpError(410, `This was withdrawn at ${new Date(deprecation.sunset).toISOString()}`)
  }
}
