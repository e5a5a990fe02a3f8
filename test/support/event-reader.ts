/** A client of event streams that parses bytes as a browser does (WHATWG HTML, section 9.2). */
import { exchange } from './attack-rows.js'
import { parseAnswers, type StrictAnswer } from './strict-parser.js'

/** An event as a page receives it. */
export interface ReadEvent {
  readonly type: string
  readonly data: string
  readonly lastEventId: string
}

/** Parses one event stream (section 9.2.6); the chunks may be cut anywhere. */
export class EventReader {
  readonly events: ReadEvent[] = []
  /** Value of `Last-Event-ID` when the client reconnects. */
  lastEventId: string
  /** Reconnection time in ms; `undefined` if the stream has not set it. */
  retry: number | undefined = undefined
  /** Removes one leading byte order mark, and replaces invalid UTF-8 by U+FFFD. */
  readonly #decoder = new TextDecoder()
  #line = ''
  #isAfterReturn = false
  #data = ''
  #type = ''
  #id: string

  /** @param lastEventId last event id of the previous connection */
  constructor(lastEventId = '') {
    this.lastEventId = lastEventId
    this.#id = lastEventId
  }

  /** Parses the next chunk of the stream. */
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
  /** Response of the server; `undefined` if it was interrupted. */
  readonly answer: StrictAnswer | undefined
  readonly events: readonly ReadEvent[]
}

/** Result of a client that reconnects. */
export interface FollowedStream {
  readonly connections: readonly Connection[]
  readonly lastEventId: string
  readonly retry: number | undefined
  /** Why it stopped: `failed` for good (section 9.2.3), or `stopped` after `count` connections. */
  readonly state: 'failed' | 'stopped'
}

/** Formats the request of a client, with `Last-Event-ID` in UTF-8. */
export function buildEventRequest(target: string, lastEventId: string): string {
  const id = lastEventId === '' ? '' : `Last-Event-ID: ${Buffer.from(lastEventId).toString('latin1')}\r\n`
  const fields = `Host: localhost\r\nConnection: close\r\nAccept: text/event-stream\r\nCache-Control: no-store\r\n${id}`
  return `GET ${target} HTTP/1.1\r\n${fields}\r\n`
}

/**
 * Connects, and reconnects when the stream has ended, as `EventSource` does.
 *
 * @param port port of 127.0.0.1
 * @param target path and query of the event stream
 * @param count number of connections after which it stops
 */
export async function follow(port: number, target: string, count = 1): Promise<FollowedStream> {
  const connections: Connection[] = []
  let reader = new EventReader()
  let { retry } = reader
  while (connections.length < count) {
    reader = new EventReader(reader.lastEventId)
    const answer = readResponse(await exchange(port, buildEventRequest(target, reader.lastEventId)))
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

/** Parses one response; `undefined` if it is incomplete. */
function readResponse(bytes: Buffer): StrictAnswer | undefined {
  try {
    return parseAnswers(bytes)[0]
  } catch {
    return undefined
  }
}
