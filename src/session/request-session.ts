/** The session of one request: found by its cookie when the request begins, written before the head of the answer leaves. */
import { createHash, randomBytes } from 'node:crypto'
import { RequestContext } from '../context/request-context.js'
import type { ResponseView } from '../context/types.js'
import type { Schema } from '../validation/schema.js'
import { isRecord } from '../values/objects.js'
import { quietly } from '../values/quietly.js'
import type { Cookie } from './cookie.js'
import type { CookieCode, Written } from './cookie-code.js'
import { Draft, readValue } from './draft.js'
import { asked, textOf, type SessionStore } from './store.js'

/** What all requests share. */
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

/** A session that the store has. */
interface Found {
  readonly id: Buffer
  /** When its cookie ends, in ms since 1970. */
  readonly end: number
  /** When it ends whatever is done with it, in ms since 1970. */
  readonly last: number
  /** `undefined` where it cannot be used any more. */
  readonly value: unknown
}

const ID_BYTES = 32
/** A session is kept on once so much of its idle time is over: not every request has to write. */
const SPENT = 0.1

/** Finds the session of a request. An id that the store does not know ends no cookie: the browser may just be getting a new one. */
export async function openSession(sessions: Sessions, input: RequestContext): Promise<RequestSession> {
  const { cookie, code, store } = sessions
  input.response.append('vary', 'cookie')
  const sent = cookie.sentIn(RequestContext.sourceOf(input))
  const ticket = sent === undefined ? undefined : code.read(sent)
  if (ticket === undefined) return new RequestSession(sessions, input.response, null, sent !== undefined)
  const text = textOf(await asked(() => store.get(keyOf(ticket.content))))
  if (text === undefined) return new RequestSession(sessions, input.response, null, false)
  const found = await foundIn(sessions, ticket, text)
  if (found.last === 0) input.log.warn({}, 'A session has ended: its store gave what no session is written as')
  return new RequestSession(sessions, input.response, found, found.value === undefined)
}

async function foundIn({ schema }: Sessions, { content: id, end }: Written, text: string): Promise<Found> {
  const record = quietly<unknown>(() => JSON.parse(text), null)
  const last = isRecord(record) ? record['last'] : undefined
  if (!isRecord(record) || typeof last !== 'number') return { id, end, last: 0, value: undefined }
  const value = last <= Date.now() ? undefined : await readValue(schema, record['value'])
  return { id, end, last, value }
}

/** Nobody who reads the store learns an id. */
function keyOf(id: Buffer): string {
  return createHash('sha256').update(id).digest('base64url')
}

export class RequestSession {
  readonly #sessions: Sessions
  readonly #response: ResponseView
  readonly #found: Found | null
  /** Whether the cookie that was sent is of no use. */
  readonly #isStale: boolean
  readonly #draft: Draft
  #state: 'none' | 'found' | 'new'

  constructor(sessions: Sessions, response: ResponseView, found: Found | null, isStale: boolean) {
    this.#sessions = sessions
    this.#response = response
    this.#found = found
    this.#isStale = isStale
    this.#draft = new Draft('the session', sessions.schema, found?.value)
    this.#state = found?.value === undefined ? 'none' : 'found'
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
    if (this.#state === 'none') throw new Error('Cannot set the session: there is none. Call "start"')
    this.#draft.set(value)
  }

  end(): void {
    this.#draft.end()
    this.#state = 'none'
  }

  /** No change is taken from now on. */
  close(): Promise<void> {
    return this.#draft.close()
  }

  /** The request went well. */
  async write(): Promise<void> {
    const { json } = this.#draft
    const found = this.#found
    if (this.#state === 'new' && json !== undefined) await this.#create(json)
    else if (this.#state === 'none' || found === null) await this.writeEnd()
    else if (json !== undefined) await this.#keep(found, json)
    else if (this.#isDue(found)) await this.#keep(found, null)
  }

  /** The request has failed: of all that it did with the session, only its end counts. */
  async writeEnd(): Promise<void> {
    if (!this.#draft.hasEnded && !this.#isStale) return
    this.#sessions.cookie.remove(this.#response)
    await this.#forget()
  }

  async #create(json: string): Promise<void> {
    const { store, absolute } = this.#sessions
    const id = randomBytes(ID_BYTES)
    const last = Date.now() + absolute
    const end = this.#endBefore(last)
    await asked(() => store.set(keyOf(id), recordOf(last, json), end, 'new'))
    await this.#forget()
    this.#send(id, end)
  }

  /** @param json of a new value; `null` keeps the one that is there */
  async #keep({ id, last }: Found, json: string | null): Promise<void> {
    const { store } = this.#sessions
    const end = this.#endBefore(last)
    const key = keyOf(id)
    await asked(() => (json === null ? store.touch(key, end) : store.set(key, recordOf(last, json), end, 'changed')))
    this.#send(id, end)
  }

  async #forget(): Promise<void> {
    const found = this.#found
    if (found !== null) await asked(() => this.#sessions.store.delete(keyOf(found.id)))
  }

  #send(content: Buffer, end: number): void {
    const { cookie, code } = this.#sessions
    cookie.write(this.#response, code.write({ content, end }), end)
  }

  #endBefore(last: number): number {
    return Math.min(Date.now() + this.#sessions.idle, last)
  }

  #isDue({ end, last }: Found): boolean {
    return end < last && end - Date.now() < this.#sessions.idle * (1 - SPENT)
  }
}

function recordOf(last: number, json: string): string {
  return `{"last":${last},"value":${json}}`
}
