/**
 * Validation issues. Only the issues that a response contains are read, because a client can cause any number of issues.
 *
 * @see docs/decisions/0010-bounded-issues.md
 */
import { Buffer } from 'node:buffer'
import { cutText, issuePath, formatPointer } from './path.js'
import { isObject } from '../values/objects.js'
import { Redactor } from './redact.js'

/** An issue that a validator reports. */
export interface Issue {
  /** Part of the request that contains the value; missing for other values. */
  readonly in?: string
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
  readonly rawIssues: readonly unknown[]
  readonly #value: unknown
  #redactor: Redactor | undefined = undefined

  constructor(issues: unknown, value: unknown) {
    this.rawIssues = Array.isArray(issues) && issues.length > 0 ? issues : NOTHING_SAID
    this.#value = value
  }

  /**
   * Reads only message, path and code, because libraries add the raw input or cyclic objects.
   *
   * @param part part of the request that contains the value
   */
  at(index: number, part?: string): Issue {
    const rawIssue = this.rawIssues[index]
    const place = part === undefined ? {} : { in: part }
    if (!isObject(rawIssue)) return { ...place, pointer: '', message: UNEXPLAINED }
    const path = issuePath(rawIssue)
    const { message, code, type } = rawIssue
    let text = typeof message === 'string' ? message : UNEXPLAINED
    if (text.includes('"')) {
      this.#redactor ??= new Redactor(this.#value)
      text = this.#redactor.redact(text, path, MAX_MESSAGE_LENGTH)
    }
    const issue = { ...place, pointer: formatPointer(path), message: cutText(text, MAX_MESSAGE_LENGTH) }
    // Standard Schema has no codes, but libraries set `code` or `type`.
    const name = typeof code === 'string' ? code : type
    return typeof name === 'string'
      ? Object.defineProperty(issue, 'code', { value: name.slice(0, MAX_CODE_LENGTH) })
      : issue
  }
}

// With headers and the other members of a problem, a response is smaller than 64,000 bytes.
const MAX_BYTES = 60_000

/** The issues in one response or log line. */
export interface ListedIssues {
  readonly list: readonly Issue[]
  /** Number of issues that did not fit. */
  readonly omitted: number
}

/** Lists the issues of several parts, limited by number and to 60,000 bytes of JSON. They are frozen. */
export function listIssues(
  parts: readonly (readonly [part: string | undefined, issues: Issues])[],
  most: number,
): ListedIssues {
  const list: Issue[] = []
  let omitted = 0
  let bytes = 0
  for (const [part, issues] of parts) {
    const { length } = issues.rawIssues
    const room = omitted === 0 ? most : 0
    let index = 0
    for (; index < length && list.length < room; index++) {
      const issue = issues.at(index, part)
      bytes += Buffer.byteLength(JSON.stringify(issue)) + 1
      if (bytes > MAX_BYTES) break
      list.push(Object.freeze(issue))
    }
    omitted += length - index
  }
  return { list, omitted }
}
