/** Cursor pagination: each page starts after the last row of the previous page. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { Buffer } from 'node:buffer'
import type { Flat, RequestView, ResponseView } from '../../context/types.js'
import { checkOptions, integerRule, optionError, type Rules } from '../../errors/options.js'
import { parseJson } from '../../http/json-body.js'
import {
  type AnySchema,
  type In,
  SCHEMA_RULE,
  type Out,
  type Schema,
  type SchemaMembers,
} from '../../validation/schema.js'
import { Issues } from '../../validation/issues.js'
import { validate, type Outcome } from '../../validation/validate.js'
import { isWhole } from '../../values/is-whole.js'
import { isObject, isRecord, ownList } from '../../values/objects.js'
import { discardPromise, thenSync } from '../../values/promises.js'
import { valueOr } from '../../values/value-or.js'
import { checkedSchema } from '../../route/kinds.js'

startStackAtCaller(cursor)

/** Options of `cursor`. */
export interface CursorOptions {
  /** Rows per page if the request has no `limit`; default 20. */
  readonly limit?: number
  /** Maximum `limit` of a request; default 100, or `limit` if that is greater. */
  readonly most?: number
  /** Schema of all other query keys; default: none. */
  readonly query?: AnySchema
}

/** Schema of the query of a list: `cursor`, `limit`, and the keys of `query` in the options. */
export interface CursorQuery<Position, Options> {
  /** Properties of Standard Schema. */
  readonly '~standard': CursorMembers<Position, Options>
}

interface CursorMembers<Position, Options> extends Omit<SchemaMembers, 'types'> {
  readonly types?: CursorTypes<Position, Options>
}

interface CursorTypes<Position, Options> {
  readonly input: Flat<{ readonly cursor?: string; readonly limit?: number } & OtherMembers<Options>>
  readonly output: Flat<{ readonly cursor: Out<Position> | undefined; readonly limit: number } & OthersOut<Options>>
}

type OtherMembers<Options> = Options extends { readonly query: infer S } ? In<S> : {}
type OthersOut<Options> = Options extends { readonly query: infer S } ? Out<S> : {}

/** Properties of the method's input that `page` needs. */
export interface PageInput {
  /** Validated query of the contract. */
  readonly query: Readonly<Record<'limit', number>>
  /** The request. */
  readonly request: RequestView
  /** The response, to which the link is added. */
  readonly response: ResponseView
}

/** Query schema and pages of a list. */
export interface Cursor<Position, Options = {}> {
  /** For `query` in the contract. In the method, `query.cursor` is the position of the last row before the page, if there is one. */
  readonly query: CursorQuery<Position, Options>
  /**
   * Returns the rows of a page. If there are more rows, adds a link to the next page (`rel="next"`).
   *
   * @param rows up to `query.limit + 1` rows
   * @param input input of the method
   * @param positionOf returns the position of a row; called with the last row of the page
   * @returns at most `query.limit` rows
   */
  page<Row>(rows: readonly Row[], input: PageInput, positionOf: (row: Row) => In<Position>): readonly Row[]
  /**
   * Encodes a position as a cursor, for example to send it in the body.
   *
   * @param position input of the position schema
   * @returns a string of letters, digits, `-` and `_`
   */
  write(position: In<Position>): string
}

/**
 * Creates cursor pagination for a list. Each page starts after the last row of the previous page, so clients do not miss or repeat rows
 * while other rows are added or deleted. Clients follow the `next` link, and treat the cursor as an opaque string. It is not signed, but
 * its position is validated like any input.
 *
 * @param position schema of the values that identify a row in the order of the list
 * @param options page sizes, and the schema of the other query keys
 * @returns `query` for the contract, `page` for the method, and `write` to encode a position
 * @throws SetupError `SCHEMA_INVALID`, `OPTION_INVALID`
 */
export function cursor<Position extends Schema, const Options extends CursorOptions = {}>(
  position: Position,
  options?: Options,
): Cursor<Position, Options> {
  const list = checkCursorOptions(checkedSchema('cursor', position), options ?? {})
  const members: Omit<SchemaMembers, 'types'> = {
    version: 1,
    vendor: 'verbena',
    validate: (token) => decodeCursor(list, token),
    jsonSchema: {
      input: (wanted) => describeCursorSchema(list, list.query?.['~standard'].jsonSchema?.input(wanted), CURSOR),
      output: (wanted) => describeCursorSchema(list, list.query?.['~standard'].jsonSchema?.output(wanted), {}),
    },
  }
  return {
    query: { '~standard': members },
    write: encodeCursor,
    page(rows, { query, request, response }, positionOf) {
      if (rows.length <= query.limit) return rows
      const page = rows.slice(0, query.limit)
      for (const lastItem of page.slice(-1))
        response.link('next', nextPageUrl(request, encodeCursor(positionOf(lastItem))))
      return page
    },
  }
}

interface List {
  readonly position: Schema
  readonly limit: number
  readonly most: number
  readonly query: Schema | undefined
}

const RULES: Rules<CursorOptions> = { limit: integerRule(1, '20'), most: integerRule(1, '100'), query: SCHEMA_RULE }

function checkCursorOptions(position: Schema, options: CursorOptions): List {
  checkOptions(options, RULES, 'cursor()')
  const { limit = 20, most = Math.max(100, limit), query } = options
  if (limit <= most) return { position, limit, most, query }
  throw optionError('cursor()', 'limit', 'it is greater than "most". Decrease "limit", or increase "most"')
}

function encodeCursor(position: unknown): string {
  if (discardPromise(position)) throw new TypeError('Cannot write a cursor: the position is a promise. Await it')
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

function nextPageUrl({ path, url }: RequestView, text: string): string {
  const query = new URLSearchParams(url.split('?').slice(1).join('?'))
  query.set('cursor', text)
  return `${path}?${query}`
}

function decodeCursor(list: List, token: unknown): unknown {
  if (!isObject(token)) return { issues: [{ message: 'Expected an object' }] }
  const { cursor: text, limit = list.limit, ...rest } = token
  const position = readPosition(list.position, text)
  // If the other schema throws, this promise is not awaited, and its rejection must not end the process.
  discardPromise(position)
  const members = list.query === undefined ? { value: {}, issues: undefined } : validate(list.query, rest)
  const issues = isLimit(limit, list) ? [] : [cursorIssue('limit', `Expected an integer from 1 to ${list.most}`)]
  if (position instanceof Promise || members instanceof Promise) {
    return Promise.all([position, members]).then(([first, second]) => wholePage(first, second, { limit, issues }))
  }
  return wholePage(position, members, { limit, issues })
}

function wholePage(
  position: Outcome,
  others: Outcome,
  { limit, issues }: { limit: unknown; issues: readonly object[] },
): unknown {
  const all = [...(position.issues?.rawIssues ?? []), ...issues, ...(others.issues?.rawIssues ?? [])]
  return all.length > 0 ? { issues: all } : { value: { ...Object(others.value), cursor: position.value, limit } }
}

function isLimit(value: unknown, { most }: List): boolean {
  return isWhole(value, 1) && Number(value) <= most
}

const NO_POSITION: Outcome = { value: undefined, issues: undefined }
/** The error has no details, because clients treat a cursor as an opaque string. */
const NO_CURSOR: Outcome = {
  value: undefined,
  issues: new Issues([cursorIssue('cursor', 'Expected a cursor from this list')], null),
}
/** Equal to the default of `limits.depth`. */
const MAX_POSITION_DEPTH = 64

function readPosition(schema: Schema, text: unknown): Outcome | Promise<Outcome> {
  if (text === undefined) return NO_POSITION
  const bytes = Buffer.from(String(text), 'base64url')
  const isOurs = bytes.toString('base64url') === text
  const decoded = isOurs ? valueOr(() => ({ position: parseJson(bytes, { depth: MAX_POSITION_DEPTH }) }), null) : null
  if (decoded === null) return NO_CURSOR
  return thenSync(validate(schema, decoded.position), (outcome) => (outcome.issues === undefined ? outcome : NO_CURSOR))
}

function cursorIssue(key: string, message: string): object {
  return { message, path: [key] }
}

const CURSOR = { type: 'string', description: 'Start of the page, from the "next" link of the previous page' }

/** Adds `cursor` and `limit` to the JSON Schema of the other keys with `allOf`. Its root stays, so its references remain valid. */
function describeCursorSchema({ query, limit, most }: List, described: unknown, cursorSchema: object): object {
  if (query !== undefined && (discardPromise(described) || !isRecord(described)))
    throw new Error('The schema of the other query keys does not provide JSON Schema')
  const count = { type: 'integer', minimum: 1, maximum: most, default: limit, description: 'Maximum number of rows' }
  const cursorShape = { type: 'object', properties: { cursor: cursorSchema, limit: count } }
  return isRecord(described) ? { ...described, allOf: [...ownList(described, 'allOf'), cursorShape] } : cursorShape
}
