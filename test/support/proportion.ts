/** Measuring whether what a request costs is in proportion to its size. */
import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { form, Route, type App } from 'verbena'
import type { Schema } from '#src/validation/schema.js'
import { looseContract, createUntypedApp } from './apps.js'
import { PROPORTION_SCHEMAS, type ProportionSchemas } from './proportion-schemas.js'
import { exchange } from './rows.js'
import { parseAnswers, type StrictAnswer } from './strict-parser.js'

/** Whether this is the long form, which a script asks for. */
export const IS_LONG = process.env['PROPORTION'] === 'long'
export const MEASURED: readonly number[] = IS_LONG ? [10_000, 100_000, 1_000_000] : [10_000, 100_000]
/**
 * The sizes of each input, in bytes. One library is slower than linear by itself: 1,250 issues below a key of 15 kB take it 170 ms, and
 * 4,200 below one of 50 kB take a minute. It gets less.
 */
export const SIZES = { zod: MEASURED, valibot: MEASURED, arktype: [2_000, 20_000] } as const
/** What an answer that is an error may take, head included. */
export const MAX_RESPONSE_BYTES = 64_000

const MIN_RUNS = IS_LONG ? 5 : 2
const MAX_RUNS = 15
/** Of the time for ten times the input. Ten times is linear; the rest is for caches and collections. */
const MAX_GROWTH = 12

/** How long validators themselves took in the request in work, in ms of the processor. */
let ofVendors = 0

/** Whether a library ran out of stack: one does, from about 100,000 issues on, and the answer is a 500. */
export const overflow = { isOfVendor: false }

function noteOverflow(error: unknown): void {
  overflow.isOfVendor ||= error instanceof RangeError
}

/** Time of the processor in ms: what else the machine does is not counted. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** A schema whose validator is timed, because a library may be slower than linear by itself. */
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

/** The places of a request that a contract validates. */
export const TEXT_SOURCES = ['params', 'query', 'headers', 'cookies', 'form'] as const
/** One of them. */
export type TextSource = (typeof TEXT_SOURCES)[number]

class Alive extends Route {
  get() {
    return 'alive'
  }
}

/** Schemas of values that strings can represent. Verbena rejects the other schemas for sources of strings. */
const TEXT_SCHEMAS: ReadonlySet<string> = new Set<keyof ProportionSchemas>(['numbers', 'lists', 'strict'])

/** A route for each library, schema and source; the body of `/echo` is also what it answers with. */
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

/** What was logged of errors, in characters. */
export const logged = { characters: 0 }

function note(fields: object, message = ''): void {
  const { err }: { err?: unknown } = fields
  const text = err instanceof Error ? JSON.stringify([err.message, { ...err }]) : ''
  logged.characters = Math.max(logged.characters, text.length + message.length)
}

/** An app whose limits let inputs of these sizes through to the validators. */
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

/** An answer, and how long the framework took over it. */
interface Measurement {
  readonly answer: StrictAnswer
  readonly bytes: number
  readonly own: number
  readonly ofVendors: number
}

/** Asks once. */
export async function measure(port: number, request: string): Promise<Measurement> {
  // Else what the request before has left would be collected in the time of this one.
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

/** What holds of each answer. */
export type CheckAnswer = (answer: StrictAnswer) => void

/** The same shape in several sizes: what is refused, and the same where any value is taken. */
export interface Growing {
  readonly refused: readonly string[]
  readonly taken: readonly string[]
  /** Maximum size of an answer in bytes. */
  readonly mostBytes?: number
}

/**
 * Sends requests of growing size, and asserts that each answer is short, that ten times the size takes at most twelve times as long, and
 * that the heap returns. Where engine or validator are slower than linear themselves, the same request without a schema and the time of the
 * validator say by how much. The least of several runs counts: other work on the machine can only add to it. `npm test` gives the process
 * so much room for young memory that one request fills less of it: else only the large ones would be held up by collections.
 *
 * @param port of the app
 * @param growing requests by size
 * @param check of each answer
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
      assert.ok(bytes <= mostBytes, `An answer of ${bytes} bytes to a request of ${request.length}`)
      check(answer)
      least[at] = Math.min(least[at] ?? own, own)
      vendors[at] = Math.min(vendors[at] ?? foreign, foreign)
      const allowed = await measure(port, taken[at] ?? '')
      assert.ok([200, 204].includes(allowed.answer.status), `It is ${allowed.answer.status} without a schema`)
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

/** The cost of any request, in ms: below it nothing grows. */
const FLOOR = 3

/** Others are slower than linear by themselves: engines at wide records, validators, and both where memory is collected. */
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

/** What the heap holds after a collection, in bytes. */
function heapUsed(): number {
  assert.ok(typeof collect === 'function')
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

/** A POST whose connection ends with its answer. */
export function postTo(target: string, headers: string, body = ''): string {
  const bytes = Buffer.from(body).toString('latin1')
  const length = `Content-Length: ${bytes.length}\r\n`
  return `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}${length}\r\n${bytes}`
}

type Pairs = readonly (readonly [key: string, value: string])[]

/** The bytes that carry texts in a source. */
export const CARRIERS: Readonly<Record<TextSource, (path: string, pairs: Pairs) => string>> = {
  params: (path, pairs) => postTo(`${path}/${pairs.map((pair) => pair.join('')).join('-')}`, ''),
  query: (path, pairs) => postTo(`${path}?${pairs.map((pair) => pair.join('=')).join('&')}`, ''),
  headers: (path, pairs) => postTo(path, pairs.map(([key, value]) => `${key}: ${value}\r\n`).join('')),
  cookies: (path, pairs) => postTo(path, `Cookie: ${pairs.map((pair) => pair.join('=')).join('; ')}\r\n`),
  form: (path, pairs) =>
    postTo(path, 'Content-Type: application/x-www-form-urlencoded\r\n', pairs.map((pair) => pair.join('=')).join('&')),
}
