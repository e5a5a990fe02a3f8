/** `jsonLines`: JSON Lines as a body and as a response, item by item. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import type { ItemWriter } from '../../http/item-writer.js'
import type { BodyReader, PreparedReader, ReaderContext } from '../../route/body-reader.js'
import {
  checkedSchema,
  Kind,
  type BodyKind,
  type ReplyKind,
  type ResponseOptions,
  type SidedKind,
} from '../../route/kinds.js'
import type { In, Out, Schema } from '../../validation/schema.js'
import { readItems } from './read-items.js'
import { itemWriter } from './write-items.js'

startStackAtCaller(jsonLines)

/** Options of `jsonLines`. */
export interface JsonLinesOptions extends ResponseOptions {
  /** Maximum size of a line in bytes, without its end; default 1,000,000. */
  readonly line?: number
  /** Maximum number of lines of a body; default 1,000,000. */
  readonly count?: number
  /** Maximum size of a body in bytes; default: `limits.body` of the app. */
  readonly limit?: number
  /**
   * Time without items after which Verbena sends an empty line in a response, in ms; default: never. Strict readers reject empty lines, so
   * set it only if your clients skip them.
   */
  readonly heartbeat?: number
  /** Whether to strip properties of a response that the schema does not contain; default `true`. */
  readonly project?: boolean
}

/** A body that the typed client sends as JSON Lines. */
export interface LinesBody<T> {
  /** The items. */
  readonly body: AsyncIterable<T> | Iterable<T>
  /** Media type of JSON Lines; the default is JSON. */
  readonly headers: Readonly<Record<'content-type', 'application/jsonl'>>
}

/** Return type of `jsonLines`. */
export type JsonLinesKind<S extends Schema, O> = SidedKind<
  O,
  BodyKind<AsyncIterable<Out<S>>, LinesBody<In<S>>>,
  ReplyKind<AsyncIterable<In<S>>, AsyncIterable<Out<S>>>,
  'limit' | 'count'
>

/**
 * Creates a kind of body or response with an item of JSON on each line, `application/jsonl` (also called NDJSON). Items are read and written
 * one by one, so that the memory does not depend on their number.
 *
 * A response comes from an async generator. Each item is validated, and written when the client reads. An error before the first item
 * becomes a problem; a later one cuts the connection, so that the client notices that lines are missing. When the app closes, open
 * responses are cut, too.
 *
 * A body is an async iterable of validated items. Invalid lines throw a 422 into your loop, limits a 413.
 *
 * @param schema schema of an item
 * @param options `line`; for a body `count` and `limit`; for a response `heartbeat`, `headers` and `project: false`
 * @returns the kind, for `body` or `returns` in a contract
 * @throws SetupError `OPTION_INVALID`, `SCHEMA_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { jsonLines } from 'verbena/lines'
 *
 * // A schema that accepts any value. Use a library instead.
 * const Any = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } } as const
 *
 * class Numbered extends Route {
 *   static readonly post = this.contract({ body: jsonLines(Any), returns: jsonLines(Any, { project: false }) })
 *   async *post({ body }: Input<typeof Numbered.post>) {
 *     let line = 0
 *     for await (const value of body) yield { line: ++line, value }
 *   }
 * }
 * const app = createApp({ routes: { Numbered } })
 *
 * const headers = { 'content-type': 'application/jsonl' }
 * const request = new Request('http://localhost/numbered', { method: 'POST', headers, body: '"a"\n"b"\n' })
 * await (await app.fetch(request)).text() // => '{"line":1,"value":"a"}\n{"line":2,"value":"b"}\n'
 * ```
 */
export function jsonLines<S extends Schema, const O extends JsonLinesOptions = {}>(
  schema: S,
  options?: O,
): JsonLinesKind<S, O> {
  const reader = new LinesReader(checkedSchema('jsonLines', schema), options ?? {})
  // Proof: the properties of the type are not present at run time.
  return new Kind('jsonLines', schema, options, reader) as unknown as JsonLinesKind<S, O>
}

const MAX_LINE = 1_000_000
const MAX_COUNT = 1_000_000

class LinesReader implements BodyReader {
  readonly label = 'jsonLines'
  readonly write: ItemWriter
  readonly #schema: Schema
  readonly #options: JsonLinesOptions

  constructor(schema: Schema, options: JsonLinesOptions) {
    this.#schema = schema
    this.#options = options
    this.write = itemWriter(options.line ?? MAX_LINE, options.heartbeat ?? 0)
  }

  prepare({ limits }: ReaderContext): PreparedReader {
    const { line = MAX_LINE, count = MAX_COUNT, limit = limits.body } = this.#options
    const bounds = { line, count, depth: limits.depth, issues: limits.issues }
    return { limit, read: (body) => readItems(body, this.#schema, bounds), validate: null }
  }
}
