/** What is wrong with a value, read only as far as an answer shows it: a client decides how much is wrong. */
import { Buffer } from 'node:buffer'
import { cutText, issuePath, formatPointer } from './path.js'
import { isObject, type UnknownRecord } from '../values/objects.js'
import { Redactor } from './redact.js'

/** A complaint of a validator. */
export interface Issue {
  /** Where in the value it is, as JSON Pointer (RFC 6901); `''` is the whole value. Long keys are cut, and end in `…`. */
  readonly pointer: string
  /** What is wrong, in the words of the library or of the author; cut at 1,000 characters. */
  readonly message: string
  /** What the library calls this kind of complaint, for the console. Not enumerable: it is no part of an answer. */
  readonly code?: string | undefined
}

const MAX_CODE_LENGTH = 100
const MAX_MESSAGE_LENGTH = 1_000
const UNEXPLAINED = 'Invalid value'
const NOTHING_SAID: readonly unknown[] = [undefined]

/** All issues of a value, at least one. Nothing of them is copied until it is read. */
export class Issues {
  /** In the form of Standard Schema, or whatever the library put in its place. */
  readonly complaints: readonly unknown[]
  readonly #redactor: Redactor

  constructor(complaints: unknown, value: unknown) {
    this.complaints = Array.isArray(complaints) && complaints.length > 0 ? complaints : NOTHING_SAID
    this.#redactor = new Redactor(value)
  }

  /** Reads message, path and code alone: libraries put the raw input, or cyclic objects, beside them. */
  at(index: number): Issue {
    const complaint = this.complaints[index]
    if (!isObject(complaint)) return { pointer: '', message: UNEXPLAINED }
    const path = issuePath(complaint)
    const message = complaint['message']
    const text = typeof message === 'string' ? this.#redactor.redact(message, path, MAX_MESSAGE_LENGTH) : UNEXPLAINED
    return withCode({ pointer: formatPointer(path), message: cutText(text, MAX_MESSAGE_LENGTH) }, issueCode(complaint))
  }
}

/** Standard Schema has no codes; libraries have, as `code` or as `type`. */
function issueCode({ code, type }: UnknownRecord): string | undefined {
  const value = typeof code === 'string' ? code : type
  return typeof value === 'string' ? value.slice(0, MAX_CODE_LENGTH) : undefined
}

export function withCode<Found extends Issue>(issue: Found, code: string | undefined): Found {
  return code === undefined ? issue : Object.defineProperty(issue, 'code', { value: code })
}

// With a head and the other members of a problem, an answer stays below 64,000 bytes.
const MAX_BYTES = 60_000

/** What one answer, or one line of a log, shows of issues: so many of them, and 60,000 bytes as JSON. */
export class IssueList<Shown extends Issue = Issue> {
  readonly list: Shown[] = []
  /** How many were left out. */
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
