/** Kinds: bodies and answers that are something else than JSON. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { checkOptionValues, type Rule, type Rules } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { type AnySchema, type In, isSchema, type Out, type Schema } from '../validation/schema.js'
import { isWhole } from '../values/numbers.js'
import type { BodyReader } from './body-reader.js'

startStackAtCaller(bytes, events, form, json, stream, text)

/** A kind of body that a contract takes. */
export interface BodyKind<T, Asked = unknown> {
  /** What the handler gets; a type only. */
  readonly '~body': T
  /** What the typed client asks for; a type only. */
  readonly '~asked'?: Asked
}

/** A kind of answer that a contract gives. */
export interface ReplyKind<T, Shown = unknown> {
  /** What the handler returns; a type only. */
  readonly '~reply': T
  /** What the typed client shows; a type only. */
  readonly '~shown'?: Shown
}

/** Marks an answer whose header fields a schema describes. */
export interface Headed<S> {
  /** The schema; a type only. */
  readonly '~headers': S
}

/** Marks a body whose bytes the handler gets too. */
export interface Raw {
  /** A type only. */
  readonly '~raw': true
}

export class Kind implements BodyKind<never>, ReplyKind<never>, Headed<never>, Raw {
  declare readonly '~body': never
  declare readonly '~reply': never
  declare readonly '~headers': never
  declare readonly '~raw': true
  readonly name: KindName
  /** What its values follow; `null` for text, bytes and streams. */
  readonly schema: Schema | null
  /** Bytes; `undefined` for the limit of the app. */
  readonly limit: number | undefined
  readonly types: readonly string[]
  readonly isRaw: boolean
  /** ms between signs of life of an event stream. */
  readonly heartbeat: number
  readonly isProjected: boolean
  /** What the header fields of its answers follow; `null` where nobody says it. */
  readonly headers: Schema | null
  /** The options given that are for bodies. */
  readonly ofBodies: readonly string[]
  /** What takes the bodies of `read` apart. */
  readonly reader: BodyReader | null

  constructor(
    name: KindName,
    schema: Schema | null,
    options: JsonOptions & EventsOptions = {},
    reader: BodyReader | null = null,
  ) {
    checkOptionValues(options, RULES[name], (option) => `the option "${option}" of ${name}()`)
    this.name = name
    this.schema = schema
    this.limit = options.limit
    this.types = options.types ?? TYPES[name]
    this.isRaw = options.raw ?? false
    this.heartbeat = options.heartbeat ?? 15_000
    this.isProjected = options.project ?? true
    // Proof: the rules have seen a schema.
    this.headers = (options.headers as Schema | undefined) ?? null
    this.ofBodies = Object.keys(options).filter((key) => key in OF_BODIES)
    this.reader = reader
  }
}

/** What a contract takes or gives as a kind: a schema stands for JSON. */
export function toKind(given: unknown): Kind {
  // Proof: the contract was checked; what is no kind is a schema.
  return given instanceof Kind ? given : new Kind('json', given as Schema)
}

const TYPES: Readonly<Record<KindName, readonly string[]>> = {
  json: ['application/json', 'application/*+json'],
  form: ['application/x-www-form-urlencoded'],
  text: ['text/plain'],
  bytes: ['application/octet-stream'],
  stream: ['application/octet-stream'],
  events: ['text/event-stream'],
  read: ['multipart/form-data'],
}

/** An answer in JSON that is validated and not projected. */
interface WholeKind<S extends Schema> {
  /** The members of its schema; a type only. */
  readonly '~standard': S['~standard']
  /** A type only. */
  readonly '~whole': true
}

/** One event of an event stream. */
export interface StreamEvent<T> {
  /** The data, sent as JSON. */
  readonly data: T
  /** Sent back as `Last-Event-ID` when the client connects again: visible ASCII, spaces in between; empty to forget the one before. */
  readonly id?: string
  /** Name of the event; `message` unless given. */
  readonly event?: string
  /** How long the client waits before it connects again, in ms. */
  readonly retry?: number
}

/** What `json` makes. */
export type JsonKind<S extends Schema, O> =
  O extends Readonly<Record<'headers', unknown>>
    ? SidedKind<O, PlainJsonKind<S, O>, WholeKind<S>>
    : O extends Readonly<Record<'project', false>>
      ? WholeKind<S>
      : PlainJsonKind<S, O>

type PlainJsonKind<S extends Schema, O> = BodyKind<Out<S>, JsonBody<In<S>>> &
  (O extends Readonly<Record<'raw', true>> ? Raw : unknown)

/** A kind of body and of answer; what its options belong to decides which. */
export type SidedKind<O, Body, Answer> = [keyof O & keyof typeof OF_BODIES] extends [never]
  ? O extends Readonly<Record<'headers', infer H>>
    ? Answer & Headed<H>
    : Body & Answer
  : Body

/**
 * A JSON body with its own bounds, or with its bytes; or a JSON answer whose header fields a schema describes, or, with
 * `project: false`, one that keeps members its schema does not name.
 *
 * @param schema of the value
 * @param options of a body `limit`, `types`, and `raw: true` for `rawBody`; of an answer `headers` and `project: false`
 * @returns the kind, for `body` in a contract; with `headers` or `project: false` for `returns`
 */
export function json<S extends Schema, const O extends JsonOptions = {}>(schema: S, options?: O): JsonKind<S, O> {
  // Proof: its types stand for what it takes and gives; nothing of them is there at run time.
  return new Kind('json', checkedSchema('json', schema), options) as unknown as JsonKind<S, O>
}

/**
 * A form, `application/x-www-form-urlencoded`; its texts are converted as those of a query.
 *
 * @param schema of the values by key
 * @param options bounds
 * @returns the kind, for `body` in a contract
 */
export function form<S extends Schema>(schema: S, options?: BodyOptions): BodyKind<Out<S>, FormBody<In<S>>> {
  return new Kind('form', checkedSchema('form', schema), options)
}

/**
 * A text in UTF-8, as a body or an answer.
 *
 * @param options bounds of a body, where `types` are `text/plain` unless given; or `headers` of an answer
 * @returns the kind, for `body` or `returns` in a contract
 */
export function text<const O extends KindOptions = {}>(
  options?: O,
): SidedKind<O, BodyKind<string, TextBody>, ReplyKind<string, string>> {
  return createSidedKind('text', options)
}

/**
 * Bytes, as a body or an answer.
 *
 * @param options bounds of a body, where `types` are `application/octet-stream` unless given; or `headers` of an answer
 * @returns the kind, for `body` or `returns` in a contract
 */
export function bytes<const O extends KindOptions = {}>(
  options?: O,
): SidedKind<O, BodyKind<Uint8Array, BytesBody>, ReplyKind<Uint8Array, Uint8Array>> {
  return createSidedKind('bytes', options)
}

/**
 * Chunks, as a body that is read no faster than it is taken, or as an answer that is made no faster than it is read.
 *
 * @param options bounds of a body, where `types` are `application/octet-stream` unless given; or `headers` of an answer
 * @returns the kind, for `body` or `returns` in a contract
 */
export function stream<const O extends KindOptions = {}>(
  options?: O,
): SidedKind<
  O,
  BodyKind<AsyncIterable<Uint8Array>, BytesBody>,
  ReplyKind<AsyncIterable<Uint8Array | string>, AsyncIterable<Uint8Array>>
> {
  return createSidedKind('stream', options)
}

function createSidedKind<O, Body, Answer>(
  name: KindName,
  options: KindOptions | undefined,
): SidedKind<O, Body, Answer> {
  // Proof: its types stand for what it takes and gives; nothing of them is there at run time.
  return new Kind(name, null, options) as unknown as SidedKind<O, Body, Answer>
}

/**
 * An event stream, Server-Sent Events (WHATWG HTML section 9.2). The handler is an async generator of events, or returns one.
 *
 * @param schema of each event's data
 * @param options how it is kept alive, `headers`, and `project: false` for data that leave as the schema gives them
 * @returns the kind, for `returns` in a contract
 */
export function events<S extends Schema, const O extends EventsOptions = {}>(schema: S, options?: O): EventsKind<S, O> {
  // Proof: as above.
  return new Kind('events', checkedSchema('events', schema), options) as unknown as EventsKind<S, O>
}

/** What `events` makes. */
export type EventsKind<S extends Schema, O> = SidedKind<
  O,
  unknown,
  ReplyKind<AsyncIterable<StreamEvent<In<S>>>, AsyncIterable<StreamEvent<Out<S>>>>
>

export function checkedSchema<S>(name: string, schema: S): S & Schema {
  if (isSchema(schema)) return schema
  const state = 'its first argument is not a schema. Give a schema of a library that follows Standard Schema 1'
  throw new SetupError('SCHEMA_INVALID', `Cannot use ${name}(…): ${state}`)
}

/** A body that the typed client sends as JSON. */
export interface JsonBody<T> {
  /** The value. */
  readonly body: T
}

/** A body that the typed client sends as a form. */
export interface FormBody<T> {
  /** The values by key. */
  readonly body: T
  /** Tells the form from JSON. */
  readonly headers: Readonly<Record<'content-type', 'application/x-www-form-urlencoded'>>
}

/** A text that the typed client sends as it is. */
export interface TextBody {
  /** The text. */
  readonly body: string
  /** Tells it from JSON; the type is one that the contract takes. */
  readonly headers: Readonly<Record<'content-type', string>>
}

/** Bytes that the typed client sends as they are. */
export interface BytesBody extends Partial<Pick<TextBody, 'headers'>> {
  /** The bytes: `application/octet-stream` unless a header or the file itself names another type; a `FormData` is `multipart/form-data`. */
  readonly body: Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> | FormData
}

type KindName = 'json' | 'form' | 'text' | 'bytes' | 'stream' | 'events' | 'read'

/** What is said of an answer of any kind. */
export interface ResponseOptions {
  /** Schema of its header fields by name, in any case, whose texts are converted as those of a query: for reply, document and client. */
  readonly headers?: AnySchema
}

/** Bounds of a body. */
export interface BodyOptions {
  /** Bytes; `limits.body` of the app unless given. */
  readonly limit?: number
  /** Media types that are taken, such as `image/png` or `image/*`. */
  readonly types?: readonly string[]
}

/** Bounds of a kind of body, or what is said of it as an answer. */
export interface KindOptions extends BodyOptions, ResponseOptions {}

/** Bounds of a JSON body, or how a JSON answer leaves. */
export interface JsonOptions extends KindOptions {
  /** Gives the handler the bytes too, as `rawBody`: signatures are made over bytes. */
  readonly raw?: boolean
  /** `false` makes it an answer that leaves as its schema gives it: members that the schema does not name are sent. */
  readonly project?: boolean
}

/** How an event stream is kept alive, and what is said of it. */
export interface EventsOptions extends ResponseOptions {
  /** ms of silence after which a comment is sent; 15,000 unless given. */
  readonly heartbeat?: number
  /** Whether only what the schema describes is sent, `true` unless given. */
  readonly project?: boolean
}

const MEDIA_RANGE = /^[\w.+*-]+\/[\w.+*-]+$/
export const SWITCH: Rule = kindOption((value) => typeof value === 'boolean', 'Give true or false')
const HEADERS = kindOption(isSchema, 'Give a schema of a library that follows Standard Schema 1')
/** Of the options of kinds. */
export const BOUNDS: Readonly<Record<'limit' | 'types', Rule>> = {
  limit: kindOption((value) => isWhole(value, 0), 'Give a whole number of bytes from 0 up'),
  types: kindOption(isTypes, 'Give a list of media types, such as ["image/png", "image/*"]'),
}
/** Up to what timers of Node take. */
const HEARTBEAT = kindOption(
  (value) => isWhole(value, 1) && Number(value) < 2 ** 31,
  'Give a whole number of ms from 1 to 2147483647',
)
const RULES: Readonly<Record<KindName, Rules>> = {
  json: { ...BOUNDS, raw: SWITCH, project: SWITCH, headers: HEADERS },
  form: BOUNDS,
  text: { ...BOUNDS, headers: HEADERS },
  bytes: { ...BOUNDS, headers: HEADERS },
  stream: { ...BOUNDS, headers: HEADERS },
  events: { heartbeat: HEARTBEAT, project: SWITCH, headers: HEADERS },
  // Its reader checks options of its own.
  read: {},
}

const OF_BODIES = { limit: true, types: true, raw: true } as const

export function kindOption(holds: (value: unknown) => boolean, fix: string): Rule {
  return (value) => (holds(value) ? null : `${String(value)} is no value for it. ${fix}`)
}

function isTypes(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((type) => MEDIA_RANGE.test(String(type)))
}
