/** Lists that are read page by page: each page begins where the one before it ended. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { Buffer } from 'node:buffer'
import type { Flat, RequestView, ResponseView } from '../context/types.js'
import { checkOptionValues, rule, type Rules } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { parseJson } from '../http/json-body.js'
import { type AnySchema, type In, isSchema, type Out, type Schema, type SchemaMembers } from '../validation/schema.js'
import { Issues } from '../validation/issues.js'
import { thenSync, validate, type Outcome } from '../validation/validate.js'
import { isWhole } from '../values/numbers.js'
import { isObject, isRecord, ownList } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'
import { valueOr } from '../values/quietly.js'
import { checkedSchema } from './kinds.js'

startStackAtCaller(cursor)

/** How a list is cut into pages. */
export interface CursorOptions {
  /** Rows of a page where the request names no `limit`; 20 unless given. */
  readonly limit?: number
  /** The largest `limit` that a request may name; 100 unless given. */
  readonly most?: number
  /** Schema of all other keys of the query; none unless given. */
  readonly query?: AnySchema
}

/** The query of a list: `cursor` and `limit`, and what another schema describes. */
export interface CursorQuery<Position, Options> {
  /** The members of Standard Schema. */
  readonly '~standard': CursorMembers<Position, Options>
}

interface CursorMembers<Position, Options> extends Omit<SchemaMembers, 'types'> {
  readonly types?: CursorTypes<Position, Options>
}

interface CursorTypes<Position, Options> {
  readonly input: Flat<{ readonly cursor?: string; readonly limit?: number } & OthersIn<Options>>
  readonly output: Flat<{ readonly cursor: Out<Position> | undefined; readonly limit: number } & OthersOut<Options>>
}

type OthersIn<Options> = Options extends { readonly query: infer S } ? In<S> : {}
type OthersOut<Options> = Options extends { readonly query: infer S } ? Out<S> : {}

/** What a page needs of the input of a method. */
export interface PageInput {
  /** As the contract gives it. */
  readonly query: Readonly<Record<'limit', number>>
  /** The request. */
  readonly request: RequestView
  /** The response, which gets the link. */
  readonly response: ResponseView
}

/** A list that is read page by page. */
export interface Cursor<Position, Options = {}> {
  /** For `query` in the contract. The method gets the position behind which its page begins, or `undefined` for the first page. */
  readonly query: CursorQuery<Position, Options>
  /**
   * Cuts rows to a page, and adds a link to the next one (`rel="next"`) where there are more.
   *
   * @param rows up to one more than `query.limit`
   * @param input of the method
   * @param positionOf tells where a row stands; asked of the last one
   * @returns `query.limit` rows at most
   */
  page<Row>(rows: readonly Row[], input: PageInput, positionOf: (row: Row) => In<Position>): readonly Row[]
  /**
   * Writes a position as a text, for those who put it into the body.
   *
   * @param position what the schema of positions takes
   * @returns letters, digits, `-` and `_`
   */
  write(position: In<Position>): string
}

/**
 * Makes what a list needs that is read page by page, each from where the one before it ended: no row is missed or shown twice when others come
 * or go meanwhile. Clients follow the link `next`; to them a cursor is just a text. It is not signed: its position is validated as any input.
 *
 * @param position schema of what tells where a row stands, in the order of the list
 * @param options size of a page, and the schema of the other keys of the query
 * @returns the query for the contract, and what cuts and links pages
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
    validate: (given) => decodeCursor(list, given),
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
      for (const last of page.slice(-1)) response.link('next', nextPageUrl(request, encodeCursor(positionOf(last))))
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

const COUNT = rule((value) => isWhole(value, 1), 'it is no whole number from 1 up. Give one')
const RULES: Rules = {
  ...{ limit: COUNT, most: COUNT },
  query: rule(isSchema, 'it is not a schema. Give a schema of a library that follows Standard Schema 1'),
}

function checkCursorOptions(position: Schema, options: CursorOptions): List {
  checkOptionValues(options, RULES, (name) => `the option "${name}" of cursor()`)
  const { limit = 20, most = Math.max(100, limit), query } = options
  if (limit <= most) return { position, limit, most, query }
  const fix = 'Give a page no more rows than the largest may have'
  throw new SetupError('OPTION_INVALID', `Cannot use the option "limit" of cursor(): it is more than "most". ${fix}`)
}

function encodeCursor(position: unknown): string {
  if (discardPromise(position)) throw new TypeError('Cannot write a cursor: the position is a promise. Await it')
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** The same list from another place: all else that the request asks for stays. */
function nextPageUrl({ path, url }: RequestView, text: string): string {
  const query = new URLSearchParams(url.split('?').slice(1).join('?'))
  query.set('cursor', text)
  return `${path}?${query}`
}

/** Validates a query, in the form of Standard Schema. */
function decodeCursor(list: List, given: unknown): unknown {
  if (!isObject(given)) return { issues: [{ message: 'Expected an object' }] }
  const { cursor: text, limit = list.limit, ...rest } = given
  const position = readPosition(list.position, text)
  // If the other schema throws, nothing waits for this one.
  discardPromise(position)
  const members = list.query === undefined ? { value: {}, issues: undefined } : validate(list.query, rest)
  const issues = isLimit(limit, list) ? [] : [complaint('limit', `Expected a whole number from 1 to ${list.most}`)]
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
  const all = [...(position.issues?.complaints ?? []), ...issues, ...(others.issues?.complaints ?? [])]
  return all.length > 0 ? { issues: all } : { value: { ...Object(others.value), cursor: position.value, limit } }
}

function isLimit(value: unknown, { most }: List): boolean {
  return isWhole(value, 1) && Number(value) <= most
}

const NO_POSITION: Outcome = { value: undefined, issues: undefined }
/** Nothing is said of what is wrong with it: to clients a cursor is just a text. */
const NO_CURSOR: Outcome = {
  value: undefined,
  issues: new Issues([complaint('cursor', 'Expected a cursor of this list')], null),
}
/** As deep as a body may be, unless its app says otherwise. */
const MAX_POSITION_DEPTH = 64

function readPosition(schema: Schema, text: unknown): Outcome | Promise<Outcome> {
  if (text === undefined) return NO_POSITION
  const bytes = Buffer.from(String(text), 'base64url')
  const isOurs = bytes.toString('base64url') === text
  const decoded = isOurs ? valueOr(() => ({ position: parseJson(bytes, MAX_POSITION_DEPTH) }), null) : null
  if (decoded === null) return NO_CURSOR
  return thenSync(validate(schema, decoded.position), (outcome) => (outcome.issues === undefined ? outcome : NO_CURSOR))
}

function complaint(key: string, message: string): object {
  return { message, path: [key] }
}

const CURSOR = { type: 'string', description: 'Where the page begins: stands in the link "next" of the page before it' }

/** What the other schema says stays the whole, so that its references lead where they did. */
function describeCursorSchema({ query, limit, most }: List, described: unknown, cursorSchema: object): object {
  if (query !== undefined && (discardPromise(described) || !isRecord(described)))
    throw new Error('The schema of the other keys does not describe itself')
  const count = { type: 'integer', minimum: 1, maximum: most, default: limit, description: 'How many rows at most' }
  const cursorShape = { type: 'object', properties: { cursor: cursorSchema, limit: count } }
  return isRecord(described) ? { ...described, allOf: [...ownList(described, 'allOf'), cursorShape] } : cursorShape
}
