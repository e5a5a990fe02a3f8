/** The plans of an endpoint's body and answers, made of its contract. */
import { typeMatcher } from '../http/media-type.js'
import { type ContractSpec, isStatusRecord } from '../route/contract.js'
import type { VerbMethod } from '../route/endpoints.js'
import { Kind } from '../route/kinds.js'
import { describeSchema, type Converters } from '../validation/json-schema.js'
import { projector } from '../validation/projection/projector.js'
import type { Schema } from '../validation/schema.js'
import { textSource } from '../validation/text/text-source.js'
import { validate } from '../validation/validate.js'
import type { Limits } from '../request/app-state.js'
import type { BodyPlan, CheckedPlan, FreePlan, AnswerPlan, ResponsePlan } from '../request/endpoint.js'

/** What plans are made with. */
interface PlanContext {
  readonly limits: Limits
  readonly converters: Converters
  /** Whether a provider wants the bytes of the body. */
  readonly isRawNeeded: boolean
}

/**
 * How the body of an endpoint is read. Without a contract, POST, PUT and PATCH take any JSON; with one, its `body`
 * alone. Returns the plan, or `null` where no body is read.
 */
export function bodyPlan({ verb, contract }: VerbMethod, context: PlanContext): BodyPlan | null {
  if (contract === undefined) {
    const takesAny = verb !== 'get' && verb !== 'delete'
    return takesAny ? kindPlan(new Kind('json', null, {}), context) : unparsedPlan(context)
  }
  const { body } = contract
  if (body === undefined) return unparsedPlan(context)
  // Proof: the contract was checked; what is no kind is a schema.
  return kindPlan(body instanceof Kind ? body : new Kind('json', body as Schema, {}), context)
}

/** No contract asks for the body, but a provider may. */
function unparsedPlan({ limits, isRawNeeded }: PlanContext): BodyPlan | null {
  if (!isRawNeeded) return null
  const { body: limit, depth } = limits
  return { kind: 'unparsed', takesType: () => true, types: '*/*', limit, depth, validate: null, isRaw: false }
}

function kindPlan(kind: Kind, context: PlanContext): BodyPlan {
  const { body, depth } = context.limits
  return {
    // Proof: the contract was checked; `events` is no kind of body.
    kind: kind.name as BodyPlan['kind'],
    takesType: typeMatcher(kind.types),
    // `application/*+json` is no range that clients know.
    types: kind.types.filter((type) => !type.includes('*+')).join(', '),
    limit: kind.limit ?? body,
    depth,
    validate: validatorOf(kind, context.converters),
    isRaw: kind.isRaw,
  }
}

function validatorOf({ name, schema }: Kind, converters: Converters): BodyPlan['validate'] {
  if (schema === null) return null
  if (name !== 'form') return validate.bind(null, schema)
  const source = textSource(schema, { converters, narrow: false })
  // Proof: a form is read into texts by key.
  return (value) => source.read(value as Parameters<typeof source.read>[0])
}

/** What the answers of an endpoint must hold to. */
export function responsePlan(
  returns: NonNullable<ContractSpec['returns']> | null,
  converters: Converters,
): ResponsePlan {
  if (!isStatusRecord(returns)) return { isRecord: false, byStatus: new Map(), single: answerPlan(returns, converters) }
  const plans = Object.entries(returns).map(
    ([status, value]) => [Number(status), answerPlan(value, converters)] as const,
  )
  return { isRecord: true, byStatus: new Map(plans), single: NO_BODY }
}

const UNCHECKED = { schema: null, project: null, isScreened: false } as const
const NO_BODY: AnswerPlan = { kind: 'none', type: undefined, ...UNCHECKED, heartbeat: 0 }

function answerPlan(returns: unknown, converters: Converters): AnswerPlan {
  if (returns === null) return NO_BODY
  if (!(returns instanceof Kind)) {
    // Proof: the contract was checked; what is neither `null` nor a kind is a schema.
    const schema = returns as Schema
    return { kind: 'json', type: SENT_AS.json, ...checksOf(schema, converters), heartbeat: 0 }
  }
  const { name, schema, heartbeat, isProjected } = returns
  if (schema === null) {
    // Proof: these kinds have no schema.
    const kind = name as Exclude<FreePlan['kind'], 'none'>
    return { kind, type: SENT_AS[kind], ...UNCHECKED, heartbeat }
  }
  // Proof: the contract was checked; `form` is no kind of answer.
  const kind = name as CheckedPlan['kind']
  const checks = isProjected ? checksOf(schema, converters) : { ...UNCHECKED, schema }
  return { kind, type: SENT_AS[kind], ...checks, heartbeat }
}

const SENT_AS = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  bytes: 'application/octet-stream',
  stream: 'application/octet-stream',
  events: 'text/event-stream',
} as const

type Checks = Pick<CheckedPlan, 'schema' | 'project' | 'isScreened'>

function checksOf(schema: Schema, converters: Converters): Checks {
  const { schema: described } = describeSchema(schema, 'output', converters)
  if (described === undefined) return { schema, project: null, isScreened: true }
  return { schema, project: projector(described) ?? null, isScreened: false }
}

/** The media type of every answer, where the contract fixes it. Returns the type without parameters, or `null`. */
export function producedType({ isRecord, byStatus, single }: ResponsePlan): string | null {
  const plans = isRecord ? [...byStatus.values()] : [single]
  const types = new Set(plans.filter(({ kind }) => kind !== 'none').map(fixedType))
  const [type, ...others] = types
  return type === undefined || others.length > 0 ? null : type
}

/** Texts, bytes and streams may name another type by a header. */
function fixedType({ kind, type }: AnswerPlan): string | null {
  return type !== undefined && (kind === 'json' || kind === 'events') ? type : null
}
