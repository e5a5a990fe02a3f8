/** Contracts: their options, their types, and the checks when a class is defined. */
import type { Meta, StaticAt } from '../context/types.js'
import { checkForeignNames, FIXES_OF_CONTRACTS } from '../errors/foreign-names.js'
import type { Only } from '../errors/known-keys.js'
import {
  anyRule,
  checkOptions,
  rangeRule,
  rule,
  stringListRule,
  stringRule,
  SWITCH,
  type Rules,
} from '../errors/options.js'
import { SetupError } from '../errors/setup-error.js'
import { EMPTY_STATUSES } from '../http/payload.js'
import { readUses, TEXT_SOURCES } from '../injection/provide.js'
import type { ErrorsSpec, TextSources, Uses, UsesIn } from '../injection/provide.js'
import { describeType } from '../values/describe-type.js'
import { isWhole } from '../values/is-whole.js'
import { isObject, isRecord } from '../values/objects.js'
import type { ParamsOf } from '../router/template.js'
import { type AnySchema, isSchema } from '../validation/schema.js'
import { type EndpointDecorator, readDecorators } from './decorator.js'
import { isIdempotency, type Idempotency } from './idempotency.js'
import { type BodyKind, Kind, type ReplyKind } from './kinds.js'

/** Schemas of the sources of a request. */
interface Sources extends TextSources {
  /** The body. A schema means JSON without conversion; other kinds are `json(…)`, `form(…)`, `text()`, `bytes()` and `stream()`. */
  readonly body?: AnySchema | AnyBody
}

/** Name of a source. */
export type Source = keyof Sources

// `any`, because `BodyKind<string>` is not assignable to `BodyKind<unknown>`: the type argument is both an input and an output.
// oxlint-disable-next-line no-explicit-any -- see above
type AnyBody = BodyKind<any>
// oxlint-disable-next-line no-explicit-any -- see above
type AnyReply = ReplyKind<any>

/** Response body for one status: a schema, a kind such as `text()` or `events(…)`, or `null` for no body. */
export type Returnable = AnySchema | AnyReply | null

/** Options of a contract: the input, the responses and the documentation of an endpoint. */
export interface ContractSpec extends Sources {
  /** Providers by name. The handler receives their values under the same names. */
  readonly uses?: Uses
  /** Return value of the handler: a schema, `null` for no body (204), or one of these for each status. */
  readonly returns?: Returnable | { readonly [status: number]: Returnable }
  /** Status of a successful response; default 200, or 204 without a body. */
  readonly status?: number
  /** Problems, for the OpenAPI document and the typed client: statuses, or for each status a description or a schema of its members. */
  readonly errors?: ErrorsSpec
  /** Replays the response if a client retries with the same `Idempotency-Key`; the result of `idempotency` from `verbena/idempotency`. */
  readonly idempotency?: Idempotency<never>
  /** Adds an `ETag` to the responses of a GET, and handles conditional requests (RFC 9110 section 13). */
  readonly etag?: boolean
  /** `false` disables compression, for example if a response contains both a secret and input of the client. */
  readonly compression?: false
  /** Maximum time for the handler, in ms. After it, Verbena responds with 503 and aborts `signal`. */
  readonly timeout?: number
  /** One line for the OpenAPI document. */
  readonly summary?: string
  /** Description for the OpenAPI document, in Markdown. */
  readonly description?: string
  /** Tags in the OpenAPI document, in addition to the tags of class and group. */
  readonly tags?: readonly string[]
  /** Operation id in the OpenAPI document; default `<Route>.<verb>`. */
  readonly operationId?: string
  /** Excludes the endpoint from the OpenAPI document. */
  readonly hidden?: boolean
  /** Declares that the endpoint does not require authentication, for OpenAPI and `app.check()`. Does not disable guards. */
  readonly public?: boolean
  /** Decorators of the endpoint, outermost first, as on its method. */
  readonly decorators?: readonly EndpointDecorator[]
  /** Custom data, for middleware. */
  readonly meta?: Meta
}

/** Keys that determine the type of a contract. A subclass can redeclare a contract with other values for all other keys. */
type TypedContract = Source | 'uses' | 'idempotency' | 'returns' | 'status'

/** The contract of an endpoint. */
export interface Contract<Spec = unknown, Params = unknown, ClassUses = unknown, Errors = unknown> {
  /** Options of the contract. */
  readonly '~spec': Spec
  /** Type of the path parameters; not present at run time. */
  readonly '~params'?: Params
  /** Type of the providers of the class; not present at run time. */
  readonly '~uses'?: ClassUses
  /** Schemas of problem members by status, including the `errors` of the class; not present at run time. */
  readonly '~errors'?: Errors
}

/** Type of a contract without declared problems. With `~`, a subclass may declare other statuses than its base class. */
export interface NoErrors {
  /** Type brand; not present at run time. */
  readonly '~'?: 1
}

/** A contract or a class with `errors`. */
export interface WithErrors<E> {
  /** Declared problems. */
  readonly errors: E
}

/** The `errors` of a contract or of a class. */
export type ErrorsIn<T> = T extends WithErrors<infer E> ? E : never

type StatusesOf<E> = E extends readonly (infer Status)[] ? NarrowOf<Status & number> : keyof E & number
// The type `number` does not name a specific status.
type NarrowOf<Status extends number> = number extends Status ? never : Status
// The tuples prevent distribution, because `never` means "no errors declared".
type SchemaAt<E, Status> = [E] extends [readonly unknown[]] ? unknown : SchemaIn<E[Status & keyof E]>
type SchemaIn<Saying> = [Saying] extends [never] ? unknown : Saying extends AnySchema ? Saying : unknown
type Nearest<S, Outer> = S extends AnySchema ? S : Outer

/** Merges the `errors` of a contract and its class. The properties are optional, so that a subclass may declare other statuses. */
export type DeclaredErrors<Own, OfClass> = [Own | OfClass] extends [never]
  ? NoErrors
  : {
      readonly [K in StatusesOf<Own> | StatusesOf<OfClass> | '~']?: K extends number
        ? Nearest<SchemaAt<Own, K>, SchemaAt<OfClass, K>>
        : 1
    }

/**
 * Type of `this.contract(…)`. Contracts contain the parameters of the path instead of the class: a declaration file cannot name the class
 * that a function returns, and writes `any` in its place.
 */
export interface ContractMethod {
  /**
   * Defines the input and the responses of an endpoint. Write `static readonly get = this.contract({ … })` for the method `get`.
   *
   * @param spec schemas, statuses, providers and documentation; an unknown key is a compile error at that key
   * @returns the contract, for the types `Input<typeof Users.get>` and `Result<typeof Users.get>`
   * @throws SetupError `CONTRACT_INVALID`
   */
  <Class, const Spec extends ContractSpec>(
    this: Class,
    spec: Spec & Only<Spec, ContractSpec>,
  ): Contract<
    { [K in keyof Spec & TypedContract]: Spec[K] } & {},
    ParamsOf<StaticAt<Class, 'prefix'>> & ParamsOf<StaticAt<Class, 'path'>>,
    UsesIn<Class>,
    'errors' extends keyof Spec | keyof Class ? DeclaredErrors<ErrorsIn<Spec>, ErrorsIn<Class>> : NoErrors
  >
}

class StaticContract implements Contract<ContractSpec> {
  readonly '~spec': ContractSpec

  constructor(owner: string, spec: unknown) {
    this['~spec'] = Object.freeze({ ...checkContract(owner, spec) })
    Object.freeze(this)
  }
}

export function contract(owner: string, spec: unknown): Contract<ContractSpec> {
  return new StaticContract(owner, spec)
}

export function readContract(value: unknown): ContractSpec | undefined {
  return value instanceof StaticContract ? value['~spec'] : undefined
}

/** Names of the sources, in the order in which their issues are reported. */
export const SOURCES: readonly Source[] = [...TEXT_SOURCES, 'body']

/** The contract checks the first ones itself, with their parts. */
const RULES: Rules<ContractSpec> = {
  params: anyRule('Params'),
  query: anyRule('Filter'),
  headers: anyRule('Headers'),
  cookies: anyRule('Cookies'),
  body: anyRule('NewUser'),
  uses: anyRule('{ user }'),
  returns: anyRule('User'),
  status: anyRule('201'),
  errors: rule((value) => typeof value === 'object', 'be an array or an object', '[404]'),
  timeout: rangeRule([1, 2 ** 31 - 1], '5_000', ' of ms'),
  decorators: anyRule('[log]'),
  idempotency: rule(isIdempotency, 'be the result of "idempotency({ … })"', 'idempotency({ by, ttl })'),
  etag: SWITCH,
  compression: rule((value) => value === false, 'be false', 'false'),
  summary: stringRule("'…'"),
  description: stringRule("'…'"),
  tags: stringListRule("['users']"),
  operationId: stringRule("'…'"),
  hidden: SWITCH,
  public: SWITCH,
  meta: rule(isObject, 'be an object', '{ … }'),
}

function checkContract(owner: string, spec: unknown): ContractSpec {
  const ofContract = `a contract of "${owner}"`
  checkForeignNames(spec, FIXES_OF_CONTRACTS, ofContract)
  checkOptions(spec, RULES, ofContract)
  // Proof: `checkOptions` has checked that it is an object, and the rest is checked below.
  const contractSpec = spec as ContractSpec
  for (const source of SOURCES) checkSource(contractSpec[source], source, owner)
  checkReturns(contractSpec, owner)
  checkErrors(contractSpec.errors ?? [], owner)
  if (contractSpec.uses !== undefined) readUses(contractSpec.uses, ofContract)
  readDecorators(contractSpec.decorators ?? [], ofContract)
  return contractSpec
}

function checkSource(value: unknown, source: Source, owner: string): void {
  if (source !== 'body' || !(value instanceof Kind)) checkSchema(value, `"${source}"`, owner)
  else if (value.name === 'events' || value.name === 'file')
    throw contractError(owner, `"${value.name}(…)" is only valid in "returns". Use "stream()"`)
  else if (!value.isProjected)
    throw contractError(owner, '"project: false" is only valid in "returns". Remove it from "body"')
  else if (value.headers !== null)
    throw contractError(owner, '"headers" is only valid in "returns". Remove it from "body"')
}

function contractError(owner: string, why: string): SetupError {
  return new SetupError('CONTRACT_INVALID', `Cannot create a contract of "${owner}": ${why}`)
}

function checkSchema(value: unknown, where: string, owner: string): void {
  if (value === undefined || isSchema(value)) return
  const fix = 'Use a library that supports Standard Schema 1'
  const what = `${where} in a contract of "${owner}"`
  throw new SetupError('SCHEMA_INVALID', `Cannot use ${what}: it must be a schema, not ${describeType(value)}. ${fix}`)
}

function checkReturns({ returns, status }: ContractSpec, owner: string): void {
  // Error statuses are keys of "returns", or thrown. All other errors are problems.
  if (status !== undefined) checkStatus(status, [200, 399], owner)
  if (!isStatusRecord(returns)) {
    const key = findStrayStatus(returns)
    if (key !== undefined) throw contractError(owner, `"${key}" in "returns" is not a status. ${LIST_STATUSES}`)
    if (returns !== undefined) checkReturn(returns, status ?? 200, owner)
    return
  }
  if (status !== undefined) {
    throw contractError(owner, '"status" conflicts with the statuses in "returns". Remove "status"')
  }
  for (const [key, value] of Object.entries(returns)) {
    checkStatus(Number(key), [200, 599], owner)
    checkReturn(value, Number(key), owner)
  }
}

const LIST_STATUSES = 'Write one key for each status. Errors are problems without a schema in "returns"'

/** Finds a key such as `default` or `4XX` beside statuses. */
function findStrayStatus(returns: unknown): string | undefined {
  if (!isRecord(returns) || returns instanceof Kind || isSchema(returns)) return undefined
  const keys = Object.keys(returns)
  const areStatuses = keys.some((key) => /^(?:\d+|\dxx|default)$/i.test(key))
  return areStatuses ? keys.find((key) => !/^\d+$/.test(key)) : undefined
}

function checkReturn(value: unknown, status: number, owner: string): void {
  if (value === null) return
  if (!(value instanceof Kind)) checkSchema(value, '"returns"', owner)
  else checkReturnKind(value, status, owner)
  if (EMPTY_STATUSES.has(status))
    throw contractError(owner, `a ${status} response has no body. Write "null" instead of a schema`)
}

function checkReturnKind(kind: Kind, status: number, owner: string): void {
  const {
    name,
    facts,
    isProjected,
    headers,
    reader,
    ofBodies: [first],
  } = kind
  if (name === 'file' && status !== 200) {
    throw contractError(owner, `"file(…)" responds with 200, not ${status}. Remove the status, or write "stream()"`)
  }
  if (reader !== null && reader.write === undefined)
    throw contractError(owner, `"${reader.label}(…)" is only valid as "body". Remove it from "returns"`)
  if (facts.isForm || (name === 'json' && isProjected && headers === null)) {
    throw contractError(owner, `"${name}(…)" is only valid as "body". Write the schema itself in "returns"`)
  }
  if (first !== undefined) throw contractError(owner, `"${first}" is only valid in "body". Remove it from "returns"`)
}

export function isStatusRecord(returns: ContractSpec['returns']): returns is { readonly [status: number]: Returnable } {
  if (typeof returns !== 'object' || returns === null || returns instanceof Kind || isSchema(returns)) return false
  const keys = Object.keys(returns)
  return keys.length > 0 && keys.every((key) => /^[0-9]+$/.test(key))
}

function checkErrors(errors: NonNullable<ContractSpec['errors']>, owner: string): void {
  const entries: readonly (readonly [unknown, unknown])[] = Array.isArray(errors)
    ? errors.map((status: unknown) => [status, 'listed'])
    : Object.entries(errors).map(([key, value]) => [/^\d+$/.test(key) ? Number(key) : key, value])
  for (const [status, value] of entries) {
    checkStatus(status, [400, 599], owner)
    if (typeof value !== 'string') checkSchema(value, `"errors" for ${String(status)}`, owner)
  }
}

function checkStatus(status: unknown, [lowest, highest]: readonly [number, number], owner: string): void {
  if (isWhole(status, lowest) && status <= highest) return
  throw contractError(owner, `a status must be an integer from ${lowest} to ${highest}, not ${String(status)}`)
}
