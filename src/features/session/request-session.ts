/**
 * The session of one request: found by its cookie before the method runs, and saved before the response headers are sent.
 *
 * @see docs/decisions/0033-cookies-of-sessions.md
 */
import { createHash, randomBytes } from 'node:crypto'
import { BaseContext } from '../../context/request-context.js'
import type { ResponseView } from '../../context/types.js'
import type { Schema } from '../../validation/schema.js'
import { isRecord } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'
import type { Cookie } from './cookie.js'
import type { CookieCode, DecodedCookie } from './cookie-code.js'
import { SessionDraft, readValue } from './draft.js'
import { queryStore, updateExisting } from './query-store.js'
import { storedText, type SessionStore } from '../stores/session-store.js'

/** Settings of a `session` provider. */
export interface Sessions {
  readonly schema: Schema
  readonly store: SessionStore
  readonly cookie: Cookie
  readonly code: CookieCode
  /** In ms. */
  readonly idle: number
  /** In ms. */
  readonly absolute: number
}

/** A session found in the store. */
interface FoundSession {
  readonly id: Buffer
  /** Expiry time of the cookie, in ms since 1970. */
  readonly end: number
  /** Latest possible expiry time of the session, in ms since 1970; 0 if the stored string is malformed. */
  readonly last: number
  /** `undefined` if the session is malformed or expired, or if its value does not match the schema. */
  readonly value: unknown
}

const ID_BYTES = 32
/** Share of `idle` after which a request extends the session, so that most requests do not write to the store. */
const SPENT_TICKET = 0.1

/**
 * Finds the session of a request. An invalid cookie is not deleted, because the response to another request may already have replaced
 * it. A late `Set-Cookie` would undo that sign-in.
 */
export async function openSession(sessions: Sessions, input: BaseContext): Promise<RequestSession> {
  const { cookie, code, store } = sessions
  const sentCookie = cookie.sentIn(BaseContext.sourceOf(input))
  const ticket = sentCookie === undefined ? undefined : code.read(sentCookie)
  const hasCookie = sentCookie !== undefined
  if (ticket === undefined) return new RequestSession(sessions, input.response, null, hasCookie)
  const text = storedText(await queryStore(() => store.get(hashSessionId(ticket.content))))
  if (text === undefined) return new RequestSession(sessions, input.response, null, hasCookie)
  const session = await readSession(sessions, ticket, text)
  if (session.last === 0) input.log.warn({}, 'Session discarded: the store returned malformed data')
  return new RequestSession(sessions, input.response, session, hasCookie)
}

async function readSession(
  { schema }: Sessions,
  { content: id, end }: DecodedCookie,
  text: string,
): Promise<FoundSession> {
  const record = valueOr<unknown>(() => JSON.parse(text), null)
  const last = isRecord(record) ? record['last'] : undefined
  if (!isRecord(record) || typeof last !== 'number') return { id, end, last: 0, value: undefined }
  const value = last <= Date.now() ? undefined : await readValue(schema, record['value'])
  return { id, end, last, value }
}

/** Returns a digest of the id, so that reading the store does not reveal session ids. */
function hashSessionId(id: Buffer): string {
  return createHash('sha256').update(id).digest('base64url')
}

export class RequestSession {
  readonly #sessions: Sessions
  readonly #response: ResponseView
  readonly #found: FoundSession | null
  readonly #draft: SessionDraft
  /** Whether the client sent a cookie without a session: it has expired or ended, or its key is unknown. */
  readonly hasStaleCookie: boolean
  #state: 'none' | 'found' | 'new'

  constructor(sessions: Sessions, response: ResponseView, found: FoundSession | null, hasCookie: boolean) {
    this.#sessions = sessions
    this.#response = response
    this.#found = found
    this.#draft = new SessionDraft('the session', sessions.schema, found?.value)
    this.#state = found?.value === undefined ? 'none' : 'found'
    this.hasStaleCookie = hasCookie && this.#state === 'none'
  }

  get value(): unknown {
    return this.#draft.value
  }

  start(value: unknown): void {
    this.#draft.set(value)
    this.#state = 'new'
  }

  set(value: unknown): void {
    this.#draft.assertOpen()
    if (this.#state === 'none') throw new Error('Cannot set the session: the request has no session. Call "start"')
    this.#draft.set(value)
  }

  end(): void {
    this.#draft.end()
    this.#state = 'none'
  }

  /** Rejects further changes. */
  close(): Promise<void> {
    return this.#draft.close()
  }

  /** Saves the session of a successful request. */
  async write(): Promise<void> {
    const { json } = this.#draft
    const current = this.#found
    if (this.#state === 'new' && json !== undefined) await this.#create(json)
    else if (this.#state === 'none' || current === null) await this.writeEnd()
    else if (json !== undefined || this.#isDue(current)) await this.#update(current, json)
  }

  /** Ends the session if the method has called `end`, even if the request has failed. */
  async writeEnd(): Promise<void> {
    try {
      if (this.#draft.hasEnded || this.#found?.value === undefined) await this.#forget()
    } finally {
      if (this.#draft.hasEnded) this.#sessions.cookie.remove(this.#response)
    }
  }

  async #create(json: string): Promise<void> {
    const { store, absolute } = this.#sessions
    const id = randomBytes(ID_BYTES)
    const last = Date.now() + absolute
    const end = this.#endBefore(last)
    await queryStore(() => store.set(hashSessionId(id), formatSessionRecord(last, json), end, 'new'))
    await this.#forget()
    this.#send(id, end)
  }

  /**
   * Updates the session, and its cookie if the store still has it.
   *
   * @param json new value; `undefined` changes only the expiry time
   */
  async #update({ id, last }: FoundSession, json: string | undefined): Promise<void> {
    const { store } = this.#sessions
    const end = this.#endBefore(last)
    const key = hashSessionId(id)
    const exists =
      json === undefined
        ? await updateExisting('touch', () => store.touch(key, end))
        : await updateExisting('set with "changed"', () =>
            store.set(key, formatSessionRecord(last, json), end, 'changed'),
          )
    if (exists) this.#send(id, end)
  }

  async #forget(): Promise<void> {
    const current = this.#found
    if (current !== null) await queryStore(() => this.#sessions.store.delete(hashSessionId(current.id)))
  }

  #send(content: Buffer, end: number): void {
    const { cookie, code } = this.#sessions
    cookie.write(this.#response, code.write({ content, end }), end)
  }

  #endBefore(last: number): number {
    return Math.min(Date.now() + this.#sessions.idle, last)
  }

  #isDue({ end, last }: FoundSession): boolean {
    return end < last && end - Date.now() < this.#sessions.idle * (1 - SPENT_TICKET)
  }
}

function formatSessionRecord(last: number, json: string): string {
  return `{"last":${last},"value":${json}}`
}
