/** Kinds of bodies and responses, such as text, bytes and event streams. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { checkOptions, rangeRule, integerRule, rule, SWITCH, textRule, type Rules } from '../errors/options.js'
import { SetupError } from '../errors/setup-error.js'
import { isErrorEvent } from '../http/event-stream.js'
import { decodeText, parseJson } from '../http/json-body.js'
import { LINES_TYPES } from '../http/payload.js'
import { parseForm } from '../http/target.js'
import type { SchemaObject } from '../validation/json-schema.js'
import { type AnySchema, type In, isSchema, SCHEMA_RULE, type Out, type Schema } from '../validation/schema.js'
import type { BodyReader } from './body-reader.js'
import type { BytesBody, FormBody, JsonBody, TextBody } from './client-bodies.js'

startStackAtCaller(bytes, events, form, json, stream, text)

/** A kind of request body, for `body` in a contract. */
export interface BodyKind<T, Options = unknown> {
  /** Type that the handler receives; not present at run time. */
  readonly '~body': T
  /** Type of the options that the typed client requires; not present at run time. */
  readonly '~options'?: Options
}

/** A kind of response, for `returns` in a contract. */
export interface ReplyKind<T, Shown = unknown> {
  /** Type that the handler returns; not present at run time. */
  readonly '~reply': T
  /** Type that the typed client returns; not present at run time. */
  readonly '~shown'?: Shown
}

/** Marks a response whose headers have a schema. */
export interface Headed<S> {
  /** Type of the schema; not present at run time. */
  readonly '~headers': S
}

/** Marks a response whose client can request a range. */
export interface FileMark {
  /** Type brand; not present at run time. */
  readonly '~file': true
}

/** Marks an event stream with the name of the event that reports a failure. */
export interface ErrorEventMark<Name> {
  /** Type of the name; not present at run time. */
  readonly '~errorEvent': Name
}

/** Marks a body for which the handler also receives `rawBody`. */
export interface Raw {
  /** Type brand; not present at run time. */
  readonly '~raw': true
}

export class Kind implements BodyKind<never>, ReplyKind<never>, Headed<never>, Raw {
  declare readonly '~body': never
  declare readonly '~reply': never
  declare readonly '~headers': never
  declare readonly '~raw': true
  readonly name: KindName
  readonly facts: KindFacts
  /** Schema of the values; `null` for text, bytes and streams. */
  readonly schema: Schema | null
  /** Maximum size in bytes; `undefined` for `limits.body` of the app. */
  readonly limit: number | undefined
  readonly types: readonly string[]
  readonly isRaw: boolean
  /** Time between keep-alive comments of an event stream, in ms. */
  readonly heartbeat: number
  /** Name of the event that reports a failure of an event stream. */
  readonly errorEvent: string
  readonly isProjected: boolean
  readonly headers: Schema | null
  /** Names of the options that are only valid for bodies. */
  readonly ofBodies: readonly string[]
  readonly reader: BodyReader | null

  constructor(
    name: KindName,
    schema: Schema | null,
    options: JsonOptions & EventsOptions = {},
    reader: BodyReader | null = null,
  ) {
    this.facts = KINDS[name]
    checkOptions(options, this.facts.rules, `${name}()`)
    this.name = name
    this.schema = schema
    this.limit = options.limit
    this.types = options.types ?? this.facts.types
    this.isRaw = options.raw ?? false
    this.heartbeat = options.heartbeat ?? 15_000
    this.errorEvent = options.errorEvent ?? 'error'
    this.isProjected = options.project ?? true
    // Proof: `RULES` has checked that the value is a schema.
    this.headers = (options.headers as Schema | undefined) ?? null
    // Without a schema, `types` are also the types of a response.
    this.ofBodies = Object.keys(options).filter((key) => key in BODY_OPTIONS && (key !== 'types' || schema !== null))
    this.reader = reader
  }
}

/** Converts `body` or `returns` of a contract to a kind; a schema means JSON. */
export function toKind(value: unknown): Kind {
  // Proof: the contract is checked, so a value that is not a kind is a schema.
  return value instanceof Kind ? value : new Kind('json', value as Schema)
}

/** A JSON response that is validated, but not projected. */
interface WholeKind<S extends Schema> {
  /** Type of the schema; not present at run time. */
  readonly '~standard': S['~standard']
  /** Type brand; not present at run time. */
  readonly '~whole': true
}

/** An event of an event stream. */
export interface StreamEvent<T> {
  /** Data, sent as JSON. */
  readonly data: T
  /** Id that the client sends as `Last-Event-ID` when it reconnects: visible ASCII and inner spaces; an empty string clears the last id. */
  readonly id?: string
  /** Name of the event; default `message`. */
  readonly event?: string
  /** Time that the client waits before it reconnects, in ms. */
  readonly retry?: number
}

/** Return type of `json`. */
export type JsonKind<S extends Schema, O> =
  O extends Readonly<Record<'headers', unknown>>
    ? SidedKind<O, PlainJsonKind<S, O>, WholeKind<S>>
    : O extends Readonly<Record<'project', false>>
      ? WholeKind<S>
      : PlainJsonKind<S, O>

type PlainJsonKind<S extends Schema, O> = BodyKind<Out<S>, JsonBody<In<S>>> &
  (O extends Readonly<Record<'raw', true>> ? Raw : unknown)

/** A kind for bodies, for responses or for both, depending on its options. `Only` are options that only bodies have. */
export type SidedKind<O, Body, Returned, Only = keyof typeof BODY_OPTIONS> = [keyof O & Only] extends [never]
  ? O extends Readonly<Record<'headers', infer H>>
    ? Returned & Headed<H>
    : Body & Returned
  : Body

/**
 * Creates a kind of JSON body with options, or a JSON response with a schema for its headers. With `project: false`, a response keeps
 * properties that its schema does not contain.
 *
 * @param schema schema of the value
 * @param options for a body `limit`, `types`, and `raw: true` for `rawBody`; for a response `headers` and `project: false`
 * @returns the kind, for `body` in a contract; with `headers` or `project: false` for `returns`
 */
export function json<S extends Schema, const O extends JsonOptions = {}>(schema: S, options?: O): JsonKind<S, O> {
  // Proof: the properties of the type are not present at run time.
  return new Kind('json', checkedSchema('json', schema), options) as unknown as JsonKind<S, O>
}

/**
 * Creates a kind of form body, `application/x-www-form-urlencoded`. Its strings are converted to the types of the schema, as in a query.
 *
 * @param schema schema of the values by key
 * @param options `limit` and `types`
 * @returns the kind, for `body` in a contract
 */
export function form<S extends Schema>(schema: S, options?: BodyOptions): BodyKind<Out<S>, FormBody<In<S>>> {
  return new Kind('form', checkedSchema('form', schema), options)
}

/**
 * Creates a kind of text body or response, in UTF-8.
 *
 * @param options `types` (default `text/plain`); for a body `limit`; for a response `headers`
 * @returns the kind, for `body` or `returns` in a contract
 */
export function text<const O extends KindOptions = {}>(
  options?: O,
): SidedKind<O, BodyKind<string, TextBody>, ReplyKind<string, string>, 'limit'> {
  return createSidedKind('text', options)
}

/**
 * Creates a kind of binary body or response.
 *
 * @param options `types` (default `application/octet-stream`); for a body `limit`; for a response `headers`
 * @returns the kind, for `body` or `returns` in a contract
 */
export function bytes<const O extends KindOptions = {}>(
  options?: O,
): SidedKind<O, BodyKind<Uint8Array, BytesBody>, ReplyKind<Uint8Array, Uint8Array>, 'limit'> {
  return createSidedKind('bytes', options)
}

/**
 * Creates a kind of streamed body or response, with backpressure in both directions.
 *
 * @param options `types` (default `application/octet-stream`); for a body `limit`; for a response `headers`
 * @returns the kind, for `body` or `returns` in a contract
 */
export function stream<const O extends KindOptions = {}>(
  options?: O,
): SidedKind<
  O,
  BodyKind<AsyncIterable<Uint8Array>, BytesBody>,
  ReplyKind<AsyncIterable<Uint8Array | string>, AsyncIterable<Uint8Array>>,
  'limit'
> {
  return createSidedKind('stream', options)
}

function createSidedKind<Sided>(name: KindName, options: KindOptions | undefined): Sided {
  // Proof: the properties of the type are not present at run time.
  return new Kind(name, null, options) as unknown as Sided
}

/**
 * Creates a kind of event stream, for Server-Sent Events (WHATWG HTML section 9.2). The handler is an async generator of events, or
 * returns one. An error that it throws after the response has begun is sent as the last event, `error`, with a problem as its data.
 *
 * @param schema schema of the `data` of each event
 * @param options `heartbeat`, `errorEvent`, `headers`, and `project: false` to keep properties that the schema does not contain
 * @returns the kind, for `returns` in a contract
 */
export function events<S extends Schema, const O extends EventsOptions = {}>(schema: S, options?: O): EventsKind<S, O> {
  // Proof: the properties of the type are not present at run time.
  return new Kind('events', checkedSchema('events', schema), options) as unknown as EventsKind<S, O>
}

/** Return type of `events`. */
export type EventsKind<S extends Schema, O> = SidedKind<
  O,
  unknown,
  ReplyKind<AsyncIterable<StreamEvent<In<S>>>, AsyncIterable<StreamEvent<Out<S>>>> &
    ErrorEventMark<O extends Readonly<Record<'errorEvent', infer Name>> ? Name : 'error'>
>

export function checkedSchema<S>(name: string, schema: S): S & Schema {
  if (isSchema(schema)) return schema
  const state = 'its first argument must be a schema. Use a library that supports Standard Schema 1'
  throw new SetupError('SCHEMA_INVALID', `Cannot use ${name}(…): ${state}`)
}

/** Bodies of the kinds `read` and `jsonLines` have a reader; `file` is only for responses. */
export type KindName = 'json' | 'form' | 'text' | 'bytes' | 'stream' | 'events' | 'jsonLines' | 'file' | 'read'

interface KindFacts {
  readonly rules: Rules
  /** Media types of bodies, unless the options list others. The first one is the type of responses. */
  readonly types: readonly string[]
  /** Decodes a body; `undefined` if its bytes are not stored. */
  readonly decode?: (bytes: Buffer, limits: Readonly<Record<'depth' | 'keys', number>>) => unknown
  /** Returns the value of an empty body; default: `undefined`. */
  readonly empty?: () => unknown
  /** JSON Schema of values without a schema of the contract. */
  readonly shown?: SchemaObject
  readonly isRequired?: true
  /** Whether the body consists of strings by key, and is not valid as a response. */
  readonly isForm?: true
}

/** Options of all kinds of responses. */
export interface ResponseOptions {
  /** Schema of response headers by case-insensitive name, for replies, OpenAPI and the client. Strings are converted as in a query. */
  readonly headers?: AnySchema
}

/** Options of a body. */
export interface BodyOptions {
  /** Maximum size in bytes; default: `limits.body` of the app. */
  readonly limit?: number
  /** Accepted media types of a body, or documented media types of text, bytes and streams, such as `image/png` or `image/*`. */
  readonly types?: readonly string[]
}

/** Options of kinds that are valid as body and as response. */
export interface KindOptions extends BodyOptions, ResponseOptions {}

/** Options of a JSON body or response. */
export interface JsonOptions extends KindOptions {
  /** Also passes the bytes to the handler as `rawBody`, for example to verify a signature. */
  readonly raw?: boolean
  /** `false` is only valid for responses, and keeps properties that the schema does not contain. */
  readonly project?: boolean
}

/** Options of an event stream. */
export interface EventsOptions extends ResponseOptions {
  /** Time without events after which Verbena sends a keep-alive comment, in ms; default 15,000. */
  readonly heartbeat?: number
  /** Name of the event that reports a failure of the stream; default `error`. Its data is a problem, or the app's error format. */
  readonly errorEvent?: string
  /** Whether to strip properties that the schema does not contain; default `true`. */
  readonly project?: boolean
}

const MEDIA_RANGE = /^[\w.+*-]+\/[\w.+*-]+$/
const TYPES = rule(isTypes, 'be a non-empty array of media types', "['image/png', 'image/*']")
export const BOUNDS: Rules<BodyOptions> = { limit: integerRule(0, '1_000_000', ' of bytes'), types: TYPES }
const COMMON: Rules<KindOptions> = { ...BOUNDS, headers: SCHEMA_RULE }
const OF_JSON: Rules<JsonOptions> = { ...COMMON, raw: SWITCH, project: SWITCH }
/** The maximum is the limit of Node timers. */
const HEARTBEAT = rangeRule([1, 2 ** 31 - 1], '15_000', ' of ms')
const ERROR_EVENT = textRule(isErrorEvent, 'be Latin-1 without line breaks and NUL, and not "message"', "'failure'")
const ITEMS = { heartbeat: HEARTBEAT, project: SWITCH, headers: SCHEMA_RULE }
const OF_EVENTS: Rules<EventsOptions> = { ...ITEMS, errorEvent: ERROR_EVENT }
const POSITIVE = integerRule(1, '10_000')
const OF_LINES: Rules = { ...ITEMS, limit: BOUNDS.limit, line: POSITIVE, count: POSITIVE }
const JSON_TYPES = ['application/json', 'application/*+json']
const FORM_TYPES = ['application/x-www-form-urlencoded']
const BYTES_TYPES = ['application/octet-stream']

const KINDS: Readonly<Record<KindName, KindFacts>> = {
  json: { rules: OF_JSON, types: JSON_TYPES, decode: parseJson, isRequired: true },
  form: { rules: BOUNDS, types: FORM_TYPES, decode: decodeForm, empty: () => ({}), isForm: true },
  text: { rules: COMMON, types: ['text/plain'], decode: decodeText, empty: () => '', shown: { type: 'string' } },
  bytes: { rules: COMMON, types: BYTES_TYPES, decode: (bytes) => bytes, empty: () => new Uint8Array() },
  stream: { rules: COMMON, types: BYTES_TYPES },
  events: { rules: OF_EVENTS, types: ['text/event-stream'] },
  jsonLines: { rules: OF_LINES, types: LINES_TYPES },
  file: { rules: { types: TYPES, headers: SCHEMA_RULE }, types: ['*/*'] },
  // The reader checks its options itself.
  read: { rules: {}, types: ['multipart/form-data'] },
}

function decodeForm(bytes: Buffer, { keys }: { readonly keys: number }): unknown {
  return parseForm(decodeText(bytes), keys)
}

const BODY_OPTIONS = { limit: true, types: true, raw: true, count: true } as const

function isTypes(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((type) => MEDIA_RANGE.test(String(type)))
}
