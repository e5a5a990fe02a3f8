/** Measures whether the cost of a request grows in proportion to its size. */
import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { form, Route, type App } from 'verbena'
import type { Schema } from '#src/validation/schema.js'
import { looseContract, createUntypedApp } from './apps.js'
import { PROPORTION_SCHEMAS, type ProportionSchemas } from './proportion-schemas.js'
import { exchange } from './attack-rows.js'
import { parseAnswers, type StrictAnswer } from './strict-parser.js'

/** Whether to run the long version (`scripts/proportion.mjs`). */
export const IS_LONG = process.env['PROPORTION'] === 'long'
export const MEASURED: readonly number[] = IS_LONG ? [10_000, 100_000, 1_000_000] : [10_000, 100_000]
/**
 * Sizes of each input in bytes. ArkType itself is slower than linear, so its inputs are smaller: 1,250 issues below a key of 15 kB take
 * 170 ms, and 4,200 issues below a key of 50 kB take a minute.
 */
export const SIZES = { zod: MEASURED, valibot: MEASURED, arktype: [2_000, 20_000] } as const
/** Maximum size of an error response in bytes, including headers. */
export const MAX_RESPONSE_BYTES = 64_000

const MIN_RUNS = IS_LONG ? 5 : 2
const MAX_RUNS = 15
/** Maximum growth of the time for ten times the input. Linear is 10; the margin covers caches and garbage collection. */
const MAX_GROWTH = 12

/** Processor time of validators in the current request, in ms. */
let ofVendors = 0

/** Whether a validator ran out of stack. One library does at about 100,000 issues, and the response is a 500. */
export const overflow = { isOfVendor: false }

function noteOverflow(error: unknown): void {
  overflow.isOfVendor ||= error instanceof RangeError
}

/** Returns the processor time of this process in ms. Other programs on the machine do not add to it. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Wraps a schema to time its validator, because the library may be slower than linear. */
function timedSchema(schema: Schema): Schema {
  const { '~standard': standard } = schema
  const validate = (value: unknown): unknown => {
    const begin = processorTime()
    try {
      const result: unknown = standard.validate(value)
      if (result instanceof Promise) result.catch(noteOverflow)
      return result
    } finally {
      ofVendors += processorTime() - begin
    }
  }
  return { '~standard': { ...standard, validate } }
}

/** Parts of a request that a contract validates as strings. */
export const TEXT_SOURCES = ['params', 'query', 'headers', 'cookies', 'form'] as const
export type TextSource = (typeof TEXT_SOURCES)[number]

class Alive extends Route {
  get() {
    return 'alive'
  }
}

/** Schemas of values that strings can represent. Verbena rejects the other schemas for sources of strings. */
const TEXT_SCHEMAS: ReadonlySet<string> = new Set<keyof ProportionSchemas>(['numbers', 'lists', 'strict'])

/** Creates a route for each schema and source. `/echo` responds with its body, and validates the response. */
function createRoutes(vendor: string, schemas: ProportionSchemas): object[] {
  return Object.entries(schemas).flatMap(([name, plain]: readonly [string, Schema]) => {
    const schema = timedSchema(plain)
    const sources = TEXT_SCHEMAS.has(name) ? TEXT_SOURCES : []
    const texts = sources.map((source) => {
      const spec = source === 'form' ? { body: form(schema) } : { [source]: schema }
      return createRoute(`/${vendor}/${name}/${source}${source === 'params' ? '/{key}' : ''}`, spec)
    })
    const echo = createRoute(`/${vendor}/${name}/echo`, { body: timedSchema(ANYTHING), returns: schema })
    return [...texts, echo, createRoute(`/${vendor}/${name}/body`, { body: schema })]
  })
}

const ANYTHING: Schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }

function createRoute(path: string, spec: object): object {
  class Measured extends Route {
    static readonly path = path
    post({ body }: { readonly body?: unknown }): unknown {
      return 'returns' in spec ? body : undefined
    }
  }
  Object.defineProperty(Measured, 'name', { value: `Measured ${path.replaceAll(/\W/g, ' ')}` })
  Object.defineProperty(Measured, 'post', { value: looseContract(Measured, spec) })
  return Measured
}

/** Length of the longest logged error, in characters. */
export const logged = { characters: 0 }

function note(fields: object, message = ''): void {
  const { err }: { err?: unknown } = fields
  const text = err instanceof Error ? JSON.stringify([err.message, { ...err }]) : ''
  logged.characters = Math.max(logged.characters, text.length + message.length)
}

/** Creates an app whose limits allow inputs of these sizes. */
export function proportionApp(): App {
  const any: ProportionSchemas = {
    numbers: ANYTHING,
    lists: ANYTHING,
    strict: ANYTHING,
    tree: ANYTHING,
    unions: ANYTHING,
  }
  const vendors = Object.entries({ ...PROPORTION_SCHEMAS, any })
  const routes = vendors.flatMap(([vendor, schemas]) => createRoutes(vendor, schemas))
  const most = 4 * 1_000_000
  return createUntypedApp({
    routes: [Alive, ...routes],
    logger: { debug: note, info: note, warn: note, error: note },
    signals: false,
    limits: { body: most, url: most, headerBytes: most, keys: 200_000 },
  })
}

/** A response, and the time that Verbena (`own`) and the validators needed, in ms. */
interface Measurement {
  readonly answer: StrictAnswer
  readonly bytes: number
  readonly own: number
  readonly ofVendors: number
}

/** Sends a request, and measures it. */
export async function measure(port: number, request: string): Promise<Measurement> {
  // Otherwise garbage of the previous request could be collected during this one.
  collectYoung()
  ofVendors = 0
  overflow.isOfVendor = false
  const begin = processorTime()
  const text = await exchange(port, request, 60_000)
  const own = processorTime() - begin - ofVendors
  const [answer] = parseAnswers(text)
  assert.ok(answer)
  return { answer, bytes: text.length, own, ofVendors }
}

/** Asserts conditions that every response must meet. */
export type CheckAnswer = (answer: StrictAnswer) => void

/** The same input in several sizes: requests that the schema rejects, and the same requests to a schema that accepts every value. */
export interface Growing {
  readonly refused: readonly string[]
  readonly taken: readonly string[]
  /** Maximum size of a response in bytes. */
  readonly mostBytes?: number
}

/**
 * Sends requests of growing size. Asserts that each response is short, that ten times the size takes at most twelve times as long, and
 * that the heap shrinks again. The engine and the validators may grow faster than that. The same request without a schema, and the time
 * of the validator, measure by how much. The minimum of several runs counts, because other work can only add time. `npm test` reserves
 * enough young-generation memory for one request; otherwise garbage collection would slow down only the large requests.
 *
 * @param port port of the app
 * @param growing requests, smallest first
 * @param check called with each response
 */
export async function assertProportion(
  port: number,
  { refused, taken, mostBytes = MAX_RESPONSE_BYTES }: Growing,
  check: CheckAnswer,
): Promise<void> {
  const [least, plain, vendors] = [refused, taken, refused].map((list) => list.map(() => Number.POSITIVE_INFINITY))
  assert.ok(least && plain && vendors)
  let before = Number.POSITIVE_INFINITY
  for (let run = 0; run < MAX_RUNS; run++) {
    for (const [at, request] of refused.entries()) {
      const { answer, bytes, own, ofVendors: foreign } = await measure(port, request)
      assert.ok(bytes <= mostBytes, `A response of ${bytes} bytes to a request of ${request.length} bytes`)
      check(answer)
      least[at] = Math.min(least[at] ?? own, own)
      vendors[at] = Math.min(vendors[at] ?? foreign, foreign)
      const allowed = await measure(port, taken[at] ?? '')
      assert.ok([200, 204].includes(allowed.answer.status), `Status ${allowed.answer.status} without a schema`)
      plain[at] = Math.min(plain[at] ?? allowed.own, allowed.own)
    }
    if (run === 0) before = heapUsed()
    else if (run >= MIN_RUNS && isInProportion(least, [plain, vendors])) break
  }
  const times = `${least.join(', ')} ms, without a schema ${plain.join(', ')} ms, the validator ${vendors.join(', ')} ms`
  assert.ok(
    isInProportion(least, [plain, vendors]),
    `Ten times the input takes more than ${MAX_GROWTH} times as long: ${times}`,
  )
  const grown = heapUsed() - before
  assert.ok(grown < 1_500_000, `The heap has grown by ${grown} bytes`)
}

/** Base cost of a request in ms. Times below it are too short to compare. */
const FLOOR = 3

/** Whether times grow linearly. `others` are the times of the engine and the validator for the same input; they may grow faster. */
function isInProportion(times: readonly number[], others: readonly (readonly number[])[]): boolean {
  const growth = (list: readonly number[], at: number, floor: number): number =>
    Number(list[at]) / Math.max(floor, Number(list[at - 1]))
  return times.every((_, at) => {
    const worst = Math.max(10, ...others.map((other) => growth(other, at, 0.1)))
    return at === 0 || growth(times, at, FLOOR) <= (MAX_GROWTH / 10) * worst
  })
}

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

function collectYoung(): void {
  assert.ok(typeof collect === 'function')
  collect({ type: 'minor' })
}

/** Returns the size of the heap after garbage collection, in bytes. */
function heapUsed(): number {
  assert.ok(typeof collect === 'function')
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

/** Formats a POST request with `Connection: close`. */
export function postTo(target: string, headers: string, body = ''): string {
  const bytes = Buffer.from(body).toString('latin1')
  const length = `Content-Length: ${bytes.length}\r\n`
  return `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}${length}\r\n${bytes}`
}

type Pairs = readonly (readonly [key: string, value: string])[]

/** Formats a request with keys and values in a source. */
export const CARRIERS: Readonly<Record<TextSource, (path: string, pairs: Pairs) => string>> = {
  params: (path, pairs) => postTo(`${path}/${pairs.map((pair) => pair.join('')).join('-')}`, ''),
  query: (path, pairs) => postTo(`${path}?${pairs.map((pair) => pair.join('=')).join('&')}`, ''),
  headers: (path, pairs) => postTo(path, pairs.map(([key, value]) => `${key}: ${value}\r\n`).join('')),
  cookies: (path, pairs) => postTo(path, `Cookie: ${pairs.map((pair) => pair.join('=')).join('; ')}\r\n`),
  form: (path, pairs) =>
    postTo(path, 'Content-Type: application/x-www-form-urlencoded\r\n', pairs.map((pair) => pair.join('=')).join('&')),
}
