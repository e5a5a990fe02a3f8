/** Service calls of one request. The first ones are stored with their arguments, and all are counted by shape. */
import { toMicros } from '../../observe/histogram.js'
import { REDACTED } from '../../secrets/secret-forms.js'
import type { OpenServiceCall } from '../../observe/request-recorder.js'
import { readMessage } from './error-detail.js'
import { siteHere, type CallSite } from './call-site.js'
import { cutToLength, cut, shorten } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import type { RepeatedCall, ServiceCall } from '../wire/request-types.js'

const MAX_CALLS = 200
const MAX_SHAPES = 200
const MAX_ARGS_LENGTH = 300
/** Number of calls with the same shape at which one call for all looks possible. */
const REPEATED = 5
/** The call of a shape that captures a stack. Most shapes have fewer calls, and capture none. */
const SITE_AT = 3

interface Shape {
  readonly name: string
  count: number
  total: number
  site: CallSite | null
}

type KeptCall = { -readonly [Key in keyof ServiceCall]: ServiceCall[Key] }

export class ServiceCalls {
  readonly list: KeptCall[] = []
  count: number = 0
  readonly #shapes = new Map<string, Shape>()
  readonly #hider: RequestRedactor
  readonly #began: number

  constructor(began: number, hider: RequestRedactor) {
    this.#began = began
    this.#hider = hider
  }

  open(name: string, args: readonly unknown[], method: object | null = null): OpenServiceCall {
    const start = performance.now()
    const shape = this.#shapeOf(name, args)
    this.count++
    const call = this.list.length < MAX_CALLS ? this.#kept(name, this.#argsOf(args, method), start) : null
    let isEnded = false
    return {
      end: (error) => {
        if (isEnded) return
        isEnded = true
        const duration = performance.now() - start
        if (shape !== null) shape.total += duration
        if (call === null) return
        call.duration = toMicros(duration)
        if (error !== undefined) call.error = this.#hider.hide(cutToLength(readMessage(error), MAX_ARGS_LENGTH))
      },
    }
  }

  #kept(name: string, args: string, start: number): KeptCall {
    const call: KeptCall = { name, start: toMicros(start - this.#began), duration: 0, args, error: null }
    this.list.push(call)
    return call
  }

  #argsOf(args: readonly unknown[], method: object | null): string {
    const names = method === null || args.length === 0 ? [] : parameterNames(method)
    const texts = args.map((arg, index) => this.#shown(arg, names[index] ?? ''))
    // A secret found in one argument can also be in an earlier argument.
    return shorten(this.#hider.values.hide(texts.join(', ')), MAX_ARGS_LENGTH)
  }

  #shown(arg: unknown, name: string): string {
    if (!this.#hider.names.isKey(name) || arg === undefined)
      return JSON.stringify(this.#hider.value(arg)) ?? 'undefined'
    this.#hider.values.add(arg)
    return `"${REDACTED}"`
  }

  /** Hides secrets that were found after the calls, such as a token in the response. */
  hideAgain(): void {
    for (const call of this.list) {
      call.args = this.#hider.values.hide(call.args)
      if (call.error !== null) call.error = this.#hider.values.hide(call.error)
    }
  }

  #shapeOf(name: string, [first]: readonly unknown[]): Shape | null {
    const key = typeof first === 'string' ? `${name} ${normalizeCall(first)}` : name
    const shapeIndex = this.#shapes.get(key)
    if (shapeIndex === undefined && this.#shapes.size >= MAX_SHAPES) return null
    const shape = shapeIndex ?? { name, count: 0, total: 0, site: null }
    if (shapeIndex === undefined) this.#shapes.set(key, shape)
    if (++shape.count === SITE_AT) shape.site = siteHere()
    return shape
  }

  repeated(root: string): RepeatedCall[] {
    const often = [...this.#shapes.values()].filter(({ count }) => count >= REPEATED)
    return often.map(({ name, count, total, site }) => {
      return { name, count, total: toMicros(total), site: site?.(root) ?? null }
    })
  }
}

/** Replaces the values that differ between calls of the same shape: quoted strings, numbers and ids. */
function normalizeCall(text: string): string {
  const short = cut(text, MAX_ARGS_LENGTH)
  const unquoted = short.includes("'") ? short.replace(/'[^']*'/g, '?') : short
  const plain = unquoted.includes('"') ? unquoted.replace(/"[^"]*"/g, '?') : unquoted
  return (plain.includes('-') ? plain.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '?') : plain).replace(/\d+/g, '?')
}

const MAX_TEXT = 1_000
/** The parameter list. Parentheses in a default or a pattern end it early; then the names before them are used. */
const LIST = /^[^({=]*\(([^()]*)/
/** An arrow function with one parameter without parentheses. */
const SINGLE_VALUE = /^(?:async\s+)?([\w$\p{L}]+)\s*=>/u
/** A destructuring pattern, which can contain commas. It is not needed: secrets in the object are found by their property names. */
const PATTERN = /\{[^{}]*\}|\[[^[\]]*\]/g
const NAME = /^\s*(?:\.\.\.)?([\w$\p{L}]+)/u
const known = new WeakMap<object, readonly string[]>()

export function parameterNames(method: object): readonly string[] {
  const before = known.get(method)
  if (before !== undefined) return before
  const text = Function.prototype.toString.call(method).slice(0, MAX_TEXT)
  const [, list = ''] = SINGLE_VALUE.exec(text) ?? LIST.exec(text) ?? []
  const parameters = list.trim() === '' ? [] : list.replace(PATTERN, '').split(',')
  const names = parameters.map((parameter) => NAME.exec(parameter)?.[1] ?? '')
  known.set(method, names)
  return names
}
