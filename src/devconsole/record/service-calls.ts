/** Service calls of one request. The first ones are stored with their arguments, and all are counted by shape. */
import { toMicros } from '../../observe/histogram.js'
import { REDACTED } from '../../secrets/secret-forms.js'
import type { OpenServiceCall } from '../../observe/request-recorder.js'
import { summarizeError } from './error-detail.js'
import { siteHere, type CallSite } from './call-site.js'
import { cutToLength, shorten } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import { normalizeCall } from '../store/call-figures.js'
import { groupBy } from '../wire/group-by.js'
import { coveredTime } from '../wire/spans.js'
import type { Query, RepeatedCall, RecordedServiceCall } from '../wire/request-types.js'
import { resultShape } from './result-shape.js'

const MAX_CALLS = 200
const MAX_SHAPES = 200
const MAX_ARGS_LENGTH = 300
/** Number of calls with the same shape at which one call for all looks possible. */
export const MIN_REPEATED = 5

interface Shape {
  readonly name: string
  count: number
  total: number
  readonly site: CallSite
}

type StoredCall = { -readonly [Key in keyof RecordedServiceCall]: RecordedServiceCall[Key] }
interface StartedServiceCall {
  readonly name: string
  readonly args: string
  readonly start: number
  readonly site: CallSite
}

/** Runs a function as a part of a service call. */
type RunCall = (call: number, next: () => unknown) => unknown

export class ServiceCalls {
  readonly list: StoredCall[] = []
  count: number = 0
  readonly #sites = new Map<StoredCall, CallSite>()
  readonly #shapes = new Map<string, Shape>()
  readonly #hider: RequestRedactor
  readonly #began: number
  readonly #run: RunCall

  constructor(began: number, hider: RequestRedactor, run: RunCall) {
    this.#began = began
    this.#hider = hider
    this.#run = run
  }

  open(name: string, args: readonly unknown[], method: object | null = null): OpenServiceCall {
    const start = performance.now()
    this.count++
    const index = this.list.length
    const site = index < MAX_CALLS ? siteHere() : null
    const shape = this.#countShape(name, args, site)
    const call = site && this.#store({ name, args: this.#formatArgs(args, method), start, site })
    let isEnded = false
    return {
      run: (called, self, values) => {
        const next = (): unknown => Reflect.apply(called, self, values)
        return call === null ? next() : this.#run(index, next)
      },
      end: (error, result) => {
        if (isEnded) return
        isEnded = true
        const duration = performance.now() - start
        if (shape !== null) shape.total += duration
        if (call !== null) this.#end(call, { duration, error, result })
      },
    }
  }

  #store({ name, args, start, site }: StartedServiceCall): StoredCall {
    const began = toMicros(start - this.#began)
    const call = { name, start: began, duration: 0, own: 0, args, result: null, error: null, site: null }
    this.list.push(call)
    this.#sites.set(call, site)
    return call
  }

  #end(
    call: StoredCall,
    ended: { readonly duration: number; readonly error: unknown; readonly result: unknown },
  ): void {
    call.duration = toMicros(ended.duration)
    if (ended.error === undefined) call.result = this.#hider.known(resultShape(ended.result))
    else call.error = this.#hider.hide(cutToLength(summarizeError(ended.error), MAX_ARGS_LENGTH))
  }

  #formatArgs(args: readonly unknown[], method: object | null): string {
    const names = method === null || args.length === 0 ? [] : parameterNames(method)
    const texts = args.map((arg, index) => this.#formatArg(arg, names[index] ?? ''))
    // A secret found in one argument can also be in an earlier argument.
    return shorten(this.#hider.values.hide(texts.join(', ')), MAX_ARGS_LENGTH)
  }

  #formatArg(arg: unknown, name: string): string {
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

  /** Counts a call by its method, and by its first argument without values if it is a string. Returns `null` above the limit. */
  #countShape(name: string, [first]: readonly unknown[], site: CallSite | null): Shape | null {
    const key = typeof first === 'string' ? `${name} ${normalizeCall(shorten(first, MAX_ARGS_LENGTH))}` : name
    const before = this.#shapes.get(key)
    if (before !== undefined) {
      before.count++
      return before
    }
    if (site === null || this.#shapes.size >= MAX_SHAPES) return null
    const shape = { name, count: 1, total: 0, site }
    this.#shapes.set(key, shape)
    return shape
  }

  /** Adds the call sites, which take time to find, and the durations without queries. */
  complete(root: string, queries: readonly Query[]): void {
    for (const [call, site] of this.#sites) call.site = site(root)
    const queriesByCall = groupBy(queries, ({ call }) => call)
    for (const [index, call] of this.list.entries()) {
      const spans = (queriesByCall.get(index) ?? []).map(({ start, duration }) => ({ start, length: duration ?? 0 }))
      call.own = toMicros(Math.max(0, call.duration - coveredTime(spans)))
    }
  }

  repeated(root: string): RepeatedCall[] {
    const repeatedShapes = [...this.#shapes.values()].filter(({ count }) => count >= MIN_REPEATED)
    return repeatedShapes.map(({ name, count, total, site }) => {
      return { kind: null, name, count, total: toMicros(total), site: site(root) }
    })
  }
}

const MAX_SOURCE_LENGTH = 1_000
/** Parameter list. Parentheses in a default or a pattern end the match early, so that only the names before them are used. */
const PARAMETERS = /^[^({=]*\(([^()]*)/
/** An arrow function with one parameter without parentheses. */
const SINGLE_PARAMETER = /^(?:async\s+)?([\w$\p{L}]+)\s*=>/u
/** A destructuring pattern, which can contain commas. Secrets in the object are found by their property names. */
const PATTERN = /\{[^{}]*\}|\[[^[\]]*\]/g
const NAME = /^\s*(?:\.\.\.)?([\w$\p{L}]+)/u
const namesByMethod = new WeakMap<object, readonly string[]>()

export function parameterNames(method: object): readonly string[] {
  const cached = namesByMethod.get(method)
  if (cached !== undefined) return cached
  const source = Function.prototype.toString.call(method).slice(0, MAX_SOURCE_LENGTH)
  const [, list = ''] = SINGLE_PARAMETER.exec(source) ?? PARAMETERS.exec(source) ?? []
  const parameters = list.trim() === '' ? [] : list.replace(PATTERN, '').split(',')
  const names = parameters.map((parameter) => NAME.exec(parameter)?.[1] ?? '')
  namesByMethod.set(method, names)
  return names
}
