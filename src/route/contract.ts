/** Contracts: what an author may write, what is kept of it, and the checks when the class is made. */
import type { Meta, ParamsAt } from '../context/types.js'
import { ANYTHING, checkMembers, rule, type Rule, type Rules } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { isEmptyStatus } from '../http/payload.js'
import { readUses, TEXT_SOURCES } from '../injection/provide.js'
import type { ErrorsSpec, TextSources, Uses, UsesIn } from '../injection/provide.js'
import { describeType } from '../values/describe-type.js'
import { isWhole } from '../values/numbers.js'
import { isObject, isRecord } from '../values/objects.js'
import { type AnySchema, isSchema } from '../validation/schema.js'
import { type EndpointDecorator, readDecorators } from './decorator.js'
import { isIdempotency, type Idempotency } from './idempotency.js'
import { type BodyKind, Kind, type ReplyKind } from './kinds.js'

/** Where the values of a request come from. */
interface Sources extends TextSources {
  /** The body: a schema means JSON, which is never converted; other kinds are `json(…)`, `form(…)`, `text()`, `bytes()`, `stream()`. */
  readonly body?: AnySchema | AnyBody
}

/** The name of a source. */
export type Source = keyof Sources

// `any` because a kind of a text is no kind of `unknown`: its type stands for input and for output.
// oxlint-disable-next-line no-explicit-any -- see above
type AnyBody = BodyKind<any>
// oxlint-disable-next-line no-explicit-any -- see above
type AnyReply = ReplyKind<any>

/** What one status may return: a value that follows a schema, a kind (`text()`, `events(…)`), or no body (`null`). */
export type Returnable = AnySchema | AnyReply | null

/** What an endpoint accepts and returns, and what is said of it. */
export interface ContractSpec extends Sources {
  /** Providers by the names under which the handler gets their values. */
  readonly uses?: Uses
  /** What a handler returns: one schema, `null` for no body (204), or one of these for each status. */
  readonly returns?: Returnable | { readonly [status: number]: Returnable }
  /** Status of a success, 200 unless given; 204 without a body. */
  readonly status?: number
  /** Problems it answers on purpose, for document and client: statuses, or for each words or a schema of its members. */
  readonly errors?: ErrorsSpec
  /** Answers a request that is sent again as the first time, by its `Idempotency-Key`: what `idempotency` of `verbena/idempotency` makes. */
  readonly idempotency?: Idempotency<never>
  /** Gives the answers of a GET an `ETag`, and answers conditional requests (RFC 9110 section 13). */
  readonly etag?: boolean
  /** `false` leaves its answers uncompressed in an app that compresses, such as those with a secret beside text of the client. */
  readonly compression?: false
  /** How long the handler may take, in ms: then 503, and `signal` is aborted. */
  readonly timeout?: number
  /** One line for the document. */
  readonly summary?: string
  /** More for the document, in Markdown. */
  readonly description?: string
  /** Tags in the document, besides those of class and group. */
  readonly tags?: readonly string[]
  /** Id of the operation in the document; `<Route>.<verb>` unless given. */
  readonly operationId?: string
  /** Leaves the endpoint out of the document. */
  readonly hidden?: boolean
  /** Says that nobody has to say who they are, in document and findings; it guards nothing and opens nothing. */
  readonly public?: boolean
  /** Decorators of the endpoint, outermost first: the same as on its method. */
  readonly decorators?: readonly EndpointDecorator[]
  /** The author's own data, for middleware. */
  readonly meta?: Meta
}

/** The part of a contract that types are made of; the rest can be redeclared in a subclass. */
type TypedContract = Source | 'uses' | 'idempotency' | 'returns' | 'status'

/** The contract of an endpoint. */
export interface Contract<Spec = unknown, Params = unknown, ClassUses = unknown, Errors = unknown> {
  /** What it says. */
  readonly '~spec': Spec
  /** Parameters of the path it stands under; a type only. */
  readonly '~params'?: Params
  /** Providers that its class uses; a type only. */
  readonly '~uses'?: ClassUses
  /** Schemas of the members of problems by status, those that its class declares included; a type only. */
  readonly '~errors'?: Errors
}

/** No problem is declared. `~` is there so that a subclass may declare other statuses than its base class. */
export interface NoErrors {
  /** A type only. */
  readonly '~'?: 1
}

/** What has `errors`: a contract, or a class. */
export interface WithErrors<E> {
  /** What is said of problems. */
  readonly errors: E
}

/** The `errors` of a contract or of a class. */
export type ErrorsIn<T> = T extends WithErrors<infer E> ? E : never

type StatusesOf<E> = E extends readonly (infer Status)[] ? NarrowOf<Status & number> : keyof E & number
// A wide `number` names no status that the compiler can see.
type NarrowOf<Status extends number> = number extends Status ? never : Status
// In tuples, because `never` stands for what says nothing.
type SchemaAt<E, Status> = [E] extends [readonly unknown[]] ? unknown : SchemaIn<E[Status & keyof E]>
type SchemaIn<Saying> = [Saying] extends [never] ? unknown : Saying extends AnySchema ? Saying : unknown
type Nearest<S, Outer> = S extends AnySchema ? S : Outer

/** What a contract, `Own`, and its class say of problems: optional members, so that a subclass may declare other statuses. */
export type DeclaredErrors<Own, OfClass> = [Own | OfClass] extends [never]
  ? NoErrors
  : {
      readonly [K in StatusesOf<Own> | StatusesOf<OfClass> | '~']?: K extends number
        ? Nearest<SchemaAt<Own, K>, SchemaAt<OfClass, K>>
        : 1
    }

/** What `this.contract(…)` gives for a class and what was written. */
export type ContractOf<Class, Spec> = Contract<
  { [K in keyof Spec & TypedContract]: Spec[K] } & {},
  ParamsAt<Class>,
  UsesIn<Class>,
  'errors' extends keyof Spec | keyof Class ? DeclaredErrors<ErrorsIn<Spec>, ErrorsIn<Class>> : NoErrors
>

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

/** The names of the sources, in the order in which their issues are reported. */
export const SOURCES: readonly Source[] = [...TEXT_SOURCES, 'body']

const RULES: Rules = {
  ...Object.fromEntries([...SOURCES, 'uses', 'returns', 'status'].map((key) => [key, ANYTHING])),
  errors: rule((value) => typeof value === 'object', '"errors" is neither a list nor a record. Write "errors: [404]"'),
  timeout: (value) => {
    if (isWhole(value, 1) && value < 2 ** 31) return null
    return `timeout ${String(value)} is not a whole number of milliseconds. Give one from 1 to 2147483647`
  },
  decorators: ANYTHING,
  idempotency: rule(
    isIdempotency,
    '"idempotency" is not what "idempotency({ … })" makes. Import that from "verbena/idempotency"',
  ),
  etag: switchRule('etag'),
  compression: rule(
    (value) => value === false,
    '"compression" is for the app. Write "compression: false", or leave it out',
  ),
  summary: textRule('summary'),
  description: textRule('description'),
  tags: rule(isTextList, `"tags" is not an array of strings. Write "tags: ['users']"`),
  operationId: textRule('operationId'),
  hidden: switchRule('hidden'),
  public: switchRule('public'),
  meta: rule(isObject, '"meta" is not an object. Write "meta: { … }"'),
}

export function switchRule(key: string): Rule {
  return rule((value) => typeof value === 'boolean', `"${key}" is neither true nor false. Write one of them`)
}

function textRule(key: string): Rule {
  return rule((value) => typeof value === 'string', `"${key}" is not a text. Write one`)
}

function checkContract(owner: string, spec: unknown): ContractSpec {
  if (!isRecord(spec)) throw contractFlaw(owner, 'it is not an object. Write "this.contract({ … })"')
  checkMembers(spec, RULES, (why) => contractFlaw(owner, why), 'A contract has')
  const contractSpec: ContractSpec = spec
  for (const source of SOURCES) checkSource(contractSpec[source], source, owner)
  checkReturns(contractSpec, owner)
  checkErrors(contractSpec.errors ?? [], owner)
  if (contractSpec.uses !== undefined) readUses(contractSpec.uses, `a contract of "${owner}"`)
  readDecorators(contractSpec.decorators ?? [], `a contract of "${owner}"`)
  return contractSpec
}

function checkSource(value: unknown, source: Source, owner: string): void {
  if (source !== 'body' || !(value instanceof Kind)) checkSchema(value, `"${source}"`, owner)
  else if (value.name === 'events') throw contractFlaw(owner, 'an event stream is no body. Use "stream()"')
  else if (!value.isProjected) throw contractFlaw(owner, '"project: false" is for answers. Leave it out of "body"')
  else if (value.headers !== null) throw contractFlaw(owner, '"headers" are those of answers. Leave them out of "body"')
}

function contractFlaw(owner: string, why: string): SetupError {
  return new SetupError('CONTRACT_INVALID', `Cannot make a contract of "${owner}": ${why}`)
}

function checkSchema(value: unknown, where: string, owner: string): void {
  if (value === undefined || isSchema(value)) return
  const fix = 'Give a schema of a library that follows Standard Schema 1'
  const what = `${where} in a contract of "${owner}"`
  throw new SetupError('SCHEMA_INVALID', `Cannot use ${what}: it is ${describeType(value)}, not a schema. ${fix}`)
}

function checkReturns({ returns, status }: ContractSpec, owner: string): void {
  // An error status is declared in a record of "returns", or thrown: everything else that is no success is a problem.
  if (status !== undefined) checkStatus(status, [200, 399], owner)
  if (!isStatusRecord(returns)) {
    if (returns !== undefined) checkReturn(returns, status ?? 200, owner)
    return
  }
  if (status !== undefined) {
    throw contractFlaw(
      owner,
      '"status" stands beside a record in "returns". Leave "status" out, the keys of "returns" say it',
    )
  }
  for (const [key, value] of Object.entries(returns)) {
    checkStatus(Number(key), [200, 599], owner)
    checkReturn(value, Number(key), owner)
  }
}

function checkReturn(value: unknown, status: number, owner: string): void {
  if (value === null) return
  if (!(value instanceof Kind)) checkSchema(value, '"returns"', owner)
  else checkReturnKind(value, owner)
  if (isEmptyStatus(status))
    throw contractFlaw(owner, `an answer with status ${status} has no body. Write "null" for it`)
}

function checkReturnKind({ name, isProjected, headers, reader, ofBodies: [first] }: Kind, owner: string): void {
  if (reader !== null) throw contractFlaw(owner, `"${reader.label}(…)" is a kind of body, not of answer`)
  if (name === 'form' || (name === 'json' && isProjected && headers === null)) {
    throw contractFlaw(owner, `"${name}(…)" is a kind of body. Write the schema itself in "returns"`)
  }
  if (first !== undefined) throw contractFlaw(owner, `"${first}" is for bodies. Leave it out of "returns"`)
}

export function isStatusRecord(returns: ContractSpec['returns']): returns is { readonly [status: number]: Returnable } {
  if (typeof returns !== 'object' || returns === null || returns instanceof Kind || isSchema(returns)) return false
  const keys = Object.keys(returns)
  return keys.length > 0 && keys.every((key) => /^[0-9]+$/.test(key))
}

function checkErrors(errors: NonNullable<ContractSpec['errors']>, owner: string): void {
  const entries: readonly (readonly [number, unknown])[] = Array.isArray(errors)
    ? errors.map((status: number) => [status, 'listed'])
    : Object.entries(errors).map(([key, value]) => [Number(key), value])
  for (const [status, value] of entries) {
    checkStatus(status, [400, 599], owner)
    if (typeof value !== 'string') checkSchema(value, `"errors" for ${status}`, owner)
  }
}

function checkStatus(status: number, [lowest, highest]: readonly [number, number], owner: string): void {
  if (Number.isInteger(status) && status >= lowest && status <= highest) return
  throw contractFlaw(
    owner,
    `status ${String(status)} is not a whole number from ${lowest} to ${highest}. Use one that is`,
  )
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}
