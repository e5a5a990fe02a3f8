/** The other end of an event stream: what a browser makes of bytes, by the words of WHATWG HTML section 9.2. */
import { exchange } from './rows.js'
import { parseAnswers, type StrictAnswer } from './strict-parser.js'

/** An event as a page gets it. */
export interface ReadEvent {
  readonly type: string
  readonly data: string
  readonly lastEventId: string
}

/** Reads the bytes of one event stream (section 9.2.6), cut wherever they may be. */
export class EventReader {
  readonly events: ReadEvent[] = []
  /** What a client would send when it connects again. */
  lastEventId: string
  /** ms; `undefined` when nothing was said. */
  retry: number | undefined = undefined
  /** Takes one byte order mark away from the beginning, and puts U+FFFD in the place of what is no UTF-8. */
  readonly #decoder = new TextDecoder()
  #line = ''
  #isAfterReturn = false
  #data = ''
  #type = ''
  #id: string

  /** @param lastEventId of the connection before */
  constructor(lastEventId = '') {
    this.lastEventId = lastEventId
    this.#id = lastEventId
  }

  /** Takes more of the stream. */
  push(bytes: Uint8Array): void {
    for (const character of this.#decoder.decode(bytes, { stream: true })) this.#take(character)
  }

  #take(character: string): void {
    const isSecondHalf = this.#isAfterReturn && character === '\n'
    this.#isAfterReturn = character === '\r'
    if (isSecondHalf) return
    if (character !== '\r' && character !== '\n') {
      this.#line += character
      return
    }
    this.#endLine(this.#line)
    this.#line = ''
  }

  #endLine(line: string): void {
    const colon = line.indexOf(':')
    if (line === '') this.#dispatch()
    else if (colon === -1) this.#field(line, '')
    else if (colon > 0) this.#field(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''))
  }

  #field(name: string, value: string): void {
    if (name === 'event') this.#type = value
    else if (name === 'data') this.#data += `${value}\n`
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    else if (name === 'retry' && /^[0-9]+$/.test(value)) this.retry = Number(value)
  }

  #dispatch(): void {
    this.lastEventId = this.#id
    const type = this.#type === '' ? 'message' : this.#type
    if (this.#data !== '') {
      this.events.push({ type, data: this.#data.slice(0, -1), lastEventId: this.lastEventId })
    }
    this.#data = ''
    this.#type = ''
  }
}

/** One connection of a client. */
export interface Connection {
  /** `undefined` when it broke off. */
  readonly answer: StrictAnswer | undefined
  readonly events: readonly ReadEvent[]
}

/** What a client that connects again came to see. */
export interface FollowedStream {
  readonly connections: readonly Connection[]
  readonly lastEventId: string
  readonly retry: number | undefined
  /** Why it does not connect again (section 9.2.3): `failed` for good, or it was told to stop here. */
  readonly state: 'failed' | 'stopped'
}

/** The bytes with which a client asks, `Last-Event-ID` in UTF-8. */
export function buildEventRequest(target: string, lastEventId: string): string {
  const id = lastEventId === '' ? '' : `Last-Event-ID: ${Buffer.from(lastEventId).toString('latin1')}\r\n`
  const fields = `Host: localhost\r\nConnection: close\r\nAccept: text/event-stream\r\nCache-Control: no-store\r\n${id}`
  return `GET ${target} HTTP/1.1\r\n${fields}\r\n`
}

/**
 * Connects, and connects again when a stream has ended, as `EventSource` does.
 *
 * @param port of the loopback
 * @param target of the event stream
 * @param count after how many connections it stops by itself
 */
export async function follow(port: number, target: string, count = 1): Promise<FollowedStream> {
  const connections: Connection[] = []
  let reader = new EventReader()
  let { retry } = reader
  while (connections.length < count) {
    reader = new EventReader(reader.lastEventId)
    const answer = answerIn(await exchange(port, buildEventRequest(target, reader.lastEventId)))
    const type = answer?.headers.get('content-type')?.[0]?.split(';')[0]?.trim().toLowerCase()
    const isStream = answer?.status === 200 && type === 'text/event-stream'
    if (answer !== undefined && isStream) reader.push(answer.body)
    connections.push({ answer, events: reader.events })
    retry = reader.retry ?? retry
    if (answer !== undefined && !isStream) {
      return { connections, lastEventId: reader.lastEventId, retry, state: 'failed' }
    }
  }
  return { connections, lastEventId: reader.lastEventId, retry, state: 'stopped' }
}

/** The one answer in some bytes, or none when it is not whole. */
function answerIn(bytes: Buffer): StrictAnswer | undefined {
  try {
    return parseAnswers(bytes)[0]
  } catch {
    return undefined
  }
}
