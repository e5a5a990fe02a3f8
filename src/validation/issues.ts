/** Validation issues. Only the issues that a response contains are read, because a client can cause any number of issues. */
import { Buffer } from 'node:buffer'
import { cutText, issuePath, formatPointer } from './path.js'
import { isObject, type UnknownRecord } from '../values/objects.js'
import { Redactor } from './redact.js'

/** An issue that a validator reports. */
export interface Issue {
  /** JSON Pointer (RFC 6901) into the value; `''` for the whole value. Keys longer than 256 characters are cut and end in `…`. */
  readonly pointer: string
  /** Message of the library or the author; cut at 1,000 characters. */
  readonly message: string
  /** Code of the issue in the library, for the console. Not enumerable, so that responses do not contain it. */
  readonly code?: string | undefined
}

const MAX_CODE_LENGTH = 100
const MAX_MESSAGE_LENGTH = 1_000
const UNEXPLAINED = 'Invalid value'
const NOTHING_SAID: readonly unknown[] = [undefined]

/** The issues of a value, at least one. They are copied only when they are read. */
export class Issues {
  /** Issues of Standard Schema, or any other values that the library returned. */
  readonly complaints: readonly unknown[]
  readonly #value: unknown
  #redactor: Redactor | undefined = undefined

  constructor(complaints: unknown, value: unknown) {
    this.complaints = Array.isArray(complaints) && complaints.length > 0 ? complaints : NOTHING_SAID
    this.#value = value
  }

  /** Reads only message, path and code, because libraries add the raw input or cyclic objects. */
  at(index: number): Issue {
    const complaint = this.complaints[index]
    if (!isObject(complaint)) return { pointer: '', message: UNEXPLAINED }
    const path = issuePath(complaint)
    const { message } = complaint
    let text = typeof message === 'string' ? message : UNEXPLAINED
    if (text.includes('"')) {
      this.#redactor ??= new Redactor(this.#value)
      text = this.#redactor.redact(text, path, MAX_MESSAGE_LENGTH)
    }
    return withCode({ pointer: formatPointer(path), message: cutText(text, MAX_MESSAGE_LENGTH) }, issueCode(complaint))
  }
}

/** Standard Schema has no codes, but libraries set `code` or `type`. */
function issueCode({ code, type }: UnknownRecord): string | undefined {
  const value = typeof code === 'string' ? code : type
  return typeof value === 'string' ? value.slice(0, MAX_CODE_LENGTH) : undefined
}

export function withCode<Found extends Issue>(issue: Found, code: string | undefined): Found {
  return code === undefined ? issue : Object.defineProperty(issue, 'code', { value: code })
}

// With headers and the other members of a problem, a response is smaller than 64,000 bytes.
const MAX_BYTES = 60_000

/** The issues in one response or log line, limited by number and to 60,000 bytes of JSON. */
export class IssueList<Shown extends Issue = Issue> {
  readonly list: Shown[] = []
  /** Number of issues that did not fit. */
  omitted = 0
  readonly #most: number
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  add(issues: Issues, show: (issue: Issue) => Shown): void {
    const { length } = issues.complaints
    for (let index = 0; index < length; index++) {
      const hasRoom = this.omitted === 0 && this.list.length < this.#most
      if (hasRoom && this.#took(show(issues.at(index)))) continue
      this.omitted += length - index
      return
    }
  }

  #took(issue: Shown): boolean {
    this.#bytes += Buffer.byteLength(JSON.stringify(issue)) + 1
    if (this.#bytes > MAX_BYTES) return false
    this.list.push(issue)
    return true
  }
}
