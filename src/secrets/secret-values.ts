/** Values that are known to be secret in one request: they are hidden wherever they stand, whatever the name before them. */
import { Buffer } from 'node:buffer'
import { isObject } from '../values/objects.js'
import { valueOr } from '../values/quietly.js'
import { REDACTED } from './secret-forms.js'
import { isCommonWord } from './secret-names.js'

/** Characters from which on a value is remembered: shorter ones stand in too many texts by chance. */
const MIN_LENGTH = 4
/** Characters from which on it is found within a longer word, too. */
const MIN_PART_LENGTH = 8
/** Values of a request, and values below one name. */
const MAX_VALUES = 100
const MAX_CHILDREN = 20
const MAX_DEPTH = 4
/** Characters that are looked for; what follows them is compared. Half a secret, as a text that was cut has it, is found so, too. */
const MAX_HEAD_LENGTH = 64
/** Characters from which on a cookie is remembered whose name says nothing: sessions are at least so long, settings seldom are. */
const MIN_COOKIE_LENGTH = 16
/** A scheme, and the credentials behind it (RFC 9110 section 11.4). */
const CREDENTIALS = /^([\w-]{1,32}) +(\S.*)$/
const LETTER = /[\p{L}\p{N}]/u

export class SecretValues {
  /** The longest first: a short one may be a part of it. */
  #values: readonly string[] = []
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most: number = MAX_VALUES) {
    this.#most = most
  }

  get size(): number {
    return this.#known.size
  }

  /** Remembers what stood under the name of a secret, of objects and lists what they hold. Calls nothing of the author's code. */
  add(value: unknown): void {
    const leaves: string[] = []
    // A proxy may throw at any touch; what was found before stays.
    valueOr(() => gatherLeaves(value, leaves, 0), undefined)
    for (const leaf of leaves) this.#remember(leaf)
  }

  /** Remembers what a header field holds: of `Bearer abc` the token, of basic credentials the password, too. */
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
    // Half of a surrogate pair cannot be encoded; no URL has it.
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
  return LETTER.test(text.charAt(from - 1)) || LETTER.test(text.charAt(end))
}

/** Getters are not called. */
function gatherLeaves(value: unknown, leaves: string[], depth: number): void {
  if (leaves.length >= MAX_CHILDREN || depth > MAX_DEPTH) return
  if (typeof value === 'string') leaves.push(value)
  else if (typeof value === 'number' || typeof value === 'bigint') leaves.push(String(value))
  else if (isObject(value)) {
    for (const member of Object.values(Object.getOwnPropertyDescriptors(value)))
      gatherLeaves(member.value, leaves, depth + 1)
  }
}
