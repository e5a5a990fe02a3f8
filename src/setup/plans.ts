/** Plans of an endpoint for its providers, request body and responses. */
import { PROBLEM_TYPE } from '../errors/problem.js'
import { MISSING_TYPE, typeMatcher } from '../http/media-type.js'
import { VERB_FACTS, type EndpointVerb } from '../http/methods.js'
import type { ProviderPlan, ProviderStep } from '../injection/plan.js'
import type { ProviderPlanner } from './provider-planner.js'
import { readUses, usesError, type ProviderRecipe, type SecurityScheme } from '../injection/provide.js'
import type { KeyPlace } from '../secrets/secrets.js'
import { checkUsedNames, type Statics } from '../route/route-class.js'
import type { RouteEntry } from './collect.js'
import { type ContractSpec, isStatusRecord } from '../route/contract.js'
import type { VerbMethod } from '../route/endpoints.js'
import type { ErrorFormatSpec } from '../route/error-format.js'
import { checkInheritedGuards } from './inherited-guards.js'
import { isIdempotency, type IdempotencyRecipe } from '../route/idempotency.js'
import { Kind, toKind } from '../route/kinds.js'
import { describeSchema, type Converters } from '../validation/describe-schema.js'
import { mayContainDate } from '../validation/may-contain-date.js'
import { keep } from '../validation/projection/project-value.js'
import { passer, projector } from '../validation/projection/projector.js'
import { compareSides } from '../validation/projection/sides.js'
import type { Schema } from '../validation/schema.js'
import { assertExpressible, textSource } from '../validation/text/string-source.js'
import { validate } from '../validation/validate.js'
import { noop } from '../values/noop.js'
import type { Limits } from '../request/app-state.js'
import type { BodyPlan, CheckedPlan, FormatPlan, FreePlan, ReplyPlan, ResponsePlan } from '../request/endpoint.js'

interface PlanContext {
  readonly limits: Limits
  readonly converters: Converters
  /** Name of the endpoint, such as `Users.post`. */
  readonly where: string
  /** Whether a provider uses `rawBody`. */
  readonly isRawNeeded: boolean
}

/** Returns how to read the body; `null` if it is not read. Without a contract, POST, PUT and PATCH accept any JSON. */
export function bodyPlan({ verb, contract }: VerbMethod, context: PlanContext): BodyPlan | null {
  if (contract === undefined) {
    return VERB_FACTS[verb].body === 'any' ? kindPlan(new Kind('json', null), verb, context) : unparsedPlan(context)
  }
  const { body } = contract
  return body === undefined ? unparsedPlan(context) : kindPlan(toKind(body), verb, context)
}

/** Plan for an endpoint whose contract has no body. Its providers may still need the bytes. */
function unparsedPlan({ limits, isRawNeeded }: PlanContext): BodyPlan | null {
  if (!isRawNeeded) return null
  return {
    kind: 'unparsed',
    acceptsType: () => true,
    types: '*/*',
    typeHeaders: {},
    missingType: undefined,
    limit: limits.body,
    decode: noop,
    empty: noop,
    validate: null,
    isRaw: false,
    reader: null,
  }
}

function kindPlan(kind: Kind, verb: EndpointVerb, context: PlanContext): BodyPlan {
  const { limits } = context
  const { decode, empty = noop } = kind.facts
  const types = typesPlans.get(kind.types) ?? planTypes(kind.types)
  typesPlans.set(kind.types, types)
  const reader = kind.reader?.prepare(context) ?? null
  return {
    kind: kind.name,
    acceptsType: types.acceptsType,
    types: types.types,
    typeHeaders: verb === 'query' ? { accept: types.types, 'accept-query': types.types } : types.typeHeaders,
    missingType: types.missingType,
    limit: reader?.limit ?? kind.limit ?? limits.body,
    decode: decode ?? null,
    empty,
    validate: reader === null ? buildValidator(kind, context) : reader.validate,
    isRaw: kind.isRaw,
    reader,
  }
}

type TypesPlan = Pick<BodyPlan, 'acceptsType' | 'types' | 'typeHeaders' | 'missingType'>
/** Plans of media types. Bodies of a kind share them. */
const typesPlans = new WeakMap<readonly string[], TypesPlan>()

function planTypes(types: readonly string[]): TypesPlan {
  // Clients do not understand `application/*+json`, because it is not a valid media range.
  const text = types.filter((type) => !type.includes('*+')).join(', ')
  return {
    acceptsType: typeMatcher(types),
    types: text,
    typeHeaders: { accept: text },
    missingType: types.includes('*/*') ? MISSING_TYPE : undefined,
  }
}

function buildValidator({ name, facts, schema }: Kind, { converters, where }: PlanContext): BodyPlan['validate'] {
  if (schema === null) return null
  if (!facts.isForm) return validate.bind(null, schema)
  const source = textSource(schema, converters)
  assertExpressible(source, `${name}() in the contract of "${where}"`, 'Use multipart(), which accepts JSON in a part')
  // Proof: the form parser returns strings by key.
  return (value) => source.read(value as Parameters<typeof source.read>[0])
}

export function responsePlan(returns: ContractSpec['returns'], converters: Converters): ResponsePlan {
  if (!isStatusRecord(returns)) return replyPlan(returns, converters)
  return new Map(Object.entries(returns).map(([status, value]) => [Number(status), replyPlan(value, converters)]))
}

export function listReplyPlans(response: ResponsePlan | null): readonly ReplyPlan[] {
  if (response === null) return []
  return 'kind' in response ? [response] : [...response.values()]
}

const UNCHECKED = { schema: null, project: null, isOpaque: false } as const
const NO_BODY: ReplyPlan = { kind: 'none', type: undefined, types: null, ...UNCHECKED, heartbeat: 0, headers: null }

function replyPlan(returns: unknown, converters: Converters): ReplyPlan {
  if (returns === null) return NO_BODY
  const { name, facts, types, schema, heartbeat, errorEvent, isProjected, headers: fields, reader } = toKind(returns)
  const type = types.find((each) => !each.includes('*')) ?? facts.types[0]
  const headers = fields === null ? null : textSource(fields, converters, 'headers')
  if (schema === null) {
    // Proof: only these kinds can be without a schema.
    const kind = name as Exclude<FreePlan['kind'], 'none'>
    const fullType = kind === 'text' ? `${type}; charset=utf-8` : type
    return { kind, type: fullType, types: types === facts.types ? null : types, ...UNCHECKED, heartbeat, headers }
  }
  // Proof: the contract check rejects `form` as the kind of a response.
  const kind = name as CheckedPlan['kind']
  const checks = isProjected
    ? responseChecks(schema, converters)
    : { ...UNCHECKED, schema, mayContainDate: true, before: null }
  return { kind, type, ...checks, heartbeat, errorEvent, headers, write: reader?.write ?? null }
}

type ResponseChecks = Pick<CheckedPlan, 'schema' | 'project' | 'isOpaque' | 'mayContainDate' | 'before'>

function responseChecks(schema: Schema, converters: Converters): ResponseChecks {
  const { schema: described, gaps } = describeSchema(schema, 'output', converters)
  if (described === undefined) return { schema, project: null, isOpaque: true, mayContainDate: true, before: null }
  const sides = compareSides(described, gaps, (isAccepted) => describeSchema(schema, 'input', converters, isAccepted))
  const { before, unvalidated, after } = sides
  return {
    schema,
    project: projector(after) ?? null,
    isOpaque: false,
    mayContainDate: mayContainDate(described),
    before: before === undefined ? null : { pass: passer(before), project: projector(unvalidated) ?? keep },
  }
}

const NO_EVENTS = { heartbeat: 0, errorEvent: '', write: null } as const

/** Plans of error formats, built once for each format. */
export class FormatPlans {
  readonly #converters: Converters
  readonly #made = new Map<ErrorFormatSpec, FormatPlan>()

  constructor(converters: Converters) {
    this.#converters = converters
  }

  of(format: ErrorFormatSpec | undefined): FormatPlan | null {
    if (format === undefined) return null
    const plan = this.#made.get(format)
    if (plan !== undefined) return plan
    const { mediaType: type = PROBLEM_TYPE, write } = format
    // Proof: `checkErrorFormat` has checked the schema.
    const schema = format.schema as Schema
    const formatPlan: FormatPlan = {
      ...{ write, type },
      plan: { kind: 'json', type, ...responseChecks(schema, this.#converters), ...NO_EVENTS, headers: null },
    }
    this.#made.set(format, formatPlan)
    return formatPlan
  }
}

/** Returns the media type of all responses. `null` if there are several, or for text, bytes and streams, because a header may change it. */
export function producedType(response: ResponsePlan | null): string | null {
  const plans = listReplyPlans(response).filter(({ kind }) => kind !== 'none')
  const types = new Set(plans.map(({ schema, type }) => (schema === null ? undefined : type)))
  const [type = null] = types
  return types.size > 1 ? null : type
}

/** Returns the plan of an endpoint's providers; `null` if it uses no provider. */
export function planProviders(
  entry: RouteEntry,
  statics: Statics,
  { verb, contract }: VerbMethod,
  planner: ProviderPlanner,
): ProviderPlan | null {
  const { name, routeClass, section } = entry
  const contractUses = contract?.uses === undefined ? [] : readUses(contract.uses, `a contract of "${name}"`)
  checkUsedNames(routeClass, name, [...statics.uses, ...contractUses])
  checkInheritedGuards(routeClass, name, { verb, uses: [...statics.uses, ...contractUses] })
  const where = `"${name}.${verb}"`
  const plan = planner.plan(section.uses, [...statics.uses, ...contractUses], where, idempotencyRecipe(contract))
  const fault = plan === null || plan.raw.length === 0 ? undefined : rawBodyFault(entry, contract)
  if (fault !== undefined) throw usesError(where, `they need "rawBody", but ${fault}`)
  return plan
}

function rawBodyFault({ upgrade, isMount }: RouteEntry, contract: ContractSpec | undefined): string | undefined {
  if (upgrade !== null) return 'an upgrade request has no body. Remove them'
  if (isMount) return 'a mounted handler gets the body as a stream. Remove them'
  const body = contract?.body
  if (!(body instanceof Kind) || body.facts.decode !== undefined) return undefined
  return 'the bytes of streams and multipart bodies are not stored. Write "body: bytes()"'
}

/** Returns the option `idempotency` of the contract; `null` if it is missing. */
export function idempotencyRecipe(contract: ContractSpec | undefined): IdempotencyRecipe | null {
  const once = contract?.idempotency
  return isIdempotency(once) ? once : null
}

export function listSteps(plan: ProviderPlan | null): readonly ProviderStep[] {
  return plan === null ? [] : [...plan.guards, ...plan.raw, ...plan.others]
}

/** Returns the providers in the order in which they run. */
export function listProviders(plan: ProviderPlan | null): readonly ProviderRecipe[] {
  return listSteps(plan).map(({ provider }) => provider)
}

/** Returns where the API keys of an endpoint are sent: headers, query parameters and cookies. Other credentials use `Authorization`. */
export function keyPlaces(plan: ProviderPlan | null): KeyPlace[] {
  return listSteps(plan)
    .flatMap(({ provider }) => [provider.needs.security ?? []].flat())
    .filter(isKeyPlace)
}

function isKeyPlace(scheme: SecurityScheme): scheme is SecurityScheme & KeyPlace {
  const { type, in: place, name } = scheme
  const isPlace = place === 'header' || place === 'query' || place === 'cookie'
  return type === 'apiKey' && typeof name === 'string' && isPlace
}
