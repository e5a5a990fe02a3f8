/** Secret values of one request. They are hidden everywhere in the request, even after a name that is not secret. */
import { Buffer } from 'node:buffer'
import { latePattern } from '../values/late-pattern.js'
import { isObject } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'
import { REDACTED } from './secret-forms.js'
import { isCommonWord } from './secret-names.js'

/** Minimum length of a remembered value. Shorter values appear in too many strings by chance. */
const MIN_LENGTH = 4
/** Minimum length of a value that is also hidden inside a longer word. */
const MIN_PART_LENGTH = 8
/** Maximum number of values in a request, and in the value of one name. */
const MAX_VALUES = 100
const MAX_CHILDREN = 20
const MAX_DEPTH = 4
/** Number of characters to search for. The following ones are compared one by one, so that a secret that was cut off is found too. */
const MAX_HEAD_LENGTH = 64
/** Minimum length of a remembered cookie whose name is not secret. Session ids are at least this long; settings rarely are. */
const MIN_COOKIE_LENGTH = 16
/** A scheme and its credentials (RFC 9110 section 11.4). */
const CREDENTIALS = /^([\w-]{1,32}) +(\S.*)$/
const LETTER = latePattern(String.raw`[\p{L}\p{N}]`, 'u')

export class SecretValues {
  /** Longest first, because a short value can be part of a longer one. */
  #values: readonly string[] = []
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most: number = MAX_VALUES) {
    this.#most = most
  }

  get size(): number {
    return this.#known.size
  }

  /** Remembers a secret value, or every value inside a secret object or array. Runs no code of the app. */
  add(value: unknown): void {
    const leaves: string[] = []
    // A proxy can throw when it is read. Values found before that are kept.
    valueOr(() => gatherLeaves(value, leaves, 0), undefined)
    for (const leaf of leaves) this.#remember(leaf)
  }

  /** Remembers the credentials of a header: the token of `Bearer abc`, and also the password of basic credentials. */
  addField(value: unknown): void {
    const [, scheme = '', credentials] = typeof value === 'string' ? (CREDENTIALS.exec(value) ?? []) : []
    if (credentials === undefined) {
      this.add(value)
      return
    }
    this.add(credentials)
    if (scheme.toLowerCase() !== 'basic') return
    const pair = Buffer.from(credentials, 'base64').toString()
    this.add(pair.slice(pair.indexOf(':') + 1))
  }

  addCookie(value: unknown, isNamed: boolean): void {
    if (isNamed || (typeof value === 'string' && value.length >= MIN_COOKIE_LENGTH)) this.add(value)
  }

  #remember(value: string): void {
    const text = value.trim()
    if (this.size >= this.#most || text.length < MIN_LENGTH || isCommonWord(text)) return
    // A lone surrogate cannot be URL-encoded.
    const forms = [text, valueOr(() => encodeURIComponent(text), text), JSON.stringify(text).slice(1, -1)]
    const added = forms.filter((form) => this.size < this.#most && !this.#known.has(form) && this.#known.add(form))
    if (added.length > 0) this.#values = [...this.#values, ...added].toSorted((a, b) => b.length - a.length)
  }

  isNumber(value: unknown): boolean {
    return this.size > 0 && (typeof value === 'number' || typeof value === 'bigint') && this.#known.has(String(value))
  }

  hide(text: string): string {
    let remainder = text
    for (const value of this.#values) {
      const head = value.slice(0, MAX_HEAD_LENGTH)
      if (remainder.includes(head)) remainder = hideOne(remainder, value, head)
    }
    return remainder
  }
}

function hideOne(text: string, value: string, head: string): string {
  let output = ''
  let done = 0
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, Math.max(at + 1, done))) {
    const end = endOfSame(text, value, at)
    if (value.length < MIN_PART_LENGTH && isPart(text, at, end)) continue
    output += `${text.slice(done, at)}${REDACTED}`
    done = end
  }
  return output + text.slice(done)
}

function endOfSame(text: string, value: string, at: number): number {
  let length = Math.min(value.length, MAX_HEAD_LENGTH)
  while (length < value.length && text.charCodeAt(at + length) === value.charCodeAt(length)) length++
  return at + length
}

function isPart(text: string, from: number, end: number): boolean {
  return LETTER().test(text.charAt(from - 1)) || LETTER().test(text.charAt(end))
}

/** Does not call getters. */
function gatherLeaves(value: unknown, leaves: string[], depth: number): void {
  if (leaves.length >= MAX_CHILDREN || depth > MAX_DEPTH) return
  if (typeof value === 'string') leaves.push(value)
  else if (typeof value === 'number' || typeof value === 'bigint') leaves.push(String(value))
  else if (isObject(value)) {
    for (const member of Object.values(Object.getOwnPropertyDescriptors(value)))
      gatherLeaves(member.value, leaves, depth + 1)
  }
}
