/** Header fields that every answer of an endpoint has, errors too: its decorators asked for them. */
import type { FullReply } from '../context/reply.js'
import { HttpError } from '../errors/http-error.js'
import { applyChanges, type Fields } from '../http/fields.js'
import type { Endpoint } from './endpoint.js'

/** Who may be asked how long a call has taken. */
export interface Timed {
  /** In ms. */
  readonly elapsed: number
}

/**
 * Adds the fields of an endpoint to one of its answers.
 *
 * @param call that is answered
 * @param endpoint that answers it
 * @param reply about to be sent
 * @returns the reply with them
 */
export function withOwnFields(call: Timed, { deprecation, isTimed }: Endpoint, reply: FullReply): FullReply {
  const fields = deprecation === null ? reply.headers : applyChanges(reply.headers, deprecation.changes)
  return reply.withFields(isTimed ? timed(fields, call) : fields)
}

/** How long the answer took (Server Timing, section 3), beside what its author measured. */
function timed(fields: Fields, { elapsed }: Timed): Fields {
  const measured = fields.get('server-timing')
  const own = `app;dur=${elapsed}`
  return new Map(fields).set('server-timing', measured === undefined ? own : `${measured}, ${own}`)
}

/**
 * Refuses requests for what has been withdrawn (RFC 8594).
 *
 * @param endpoint that would answer
 * @throws HttpError 410 past its sunset
 */
export function refuseWithdrawn({ deprecation }: Endpoint): void {
  if (deprecation !== null && Date.now() >= deprecation.sunset) {
    throw new HttpError(410, `This was withdrawn at ${new Date(deprecation.sunset).toISOString()}`)
  }
}
