/** Builds the endpoints of a route class, with everything that can be decided before the first request. */
import type { Middleware } from '../context/middleware.js'
import { DEPRECATION } from '../decorators/deprecated.js'
import { SPEED } from '../decorators/speed.js'
import { VERSION } from '../decorators/version.js'
import { SetupError } from '../errors/setup-error.js'
import { toHeaderChanges } from '../http/fields.js'
import { VERB_FACTS, type EndpointVerb } from '../http/methods.js'
import { bindClass, readStatic, type BoundServices, type RouteClass, type Statics } from '../route/route-class.js'
import { findEndpoints, type VerbMethod } from '../route/endpoints.js'
import type { ResponseSettings } from '../route/response-options.js'
import type { RouteEntry } from './collect.js'
import { readContract, type ContractSpec } from '../route/contract.js'
import type { ErrorFormatSpec } from '../route/error-format.js'
import { REPORTS_HEALTH } from '../route/built-in-marks.js'
import { mergeProblems } from '../route/problems.js'
import type { ProviderPlan, ProviderStep } from '../injection/plan.js'
import { planSources, type ProviderPlanner } from './provider-planner.js'
import { unwrapOverride } from '../injection/override.js'
import type { ErrorsSpec, ProviderRecipe } from '../injection/provide.js'
import type { ServiceValues } from '../injection/services.js'
import type { Template } from '../router/template.js'
import type { Secrets } from '../secrets/secrets.js'
import type { Converters } from '../validation/describe-schema.js'
import type { Limits } from '../request/app-state.js'
import type { Endpoint, EndpointPlan } from '../request/endpoint.js'
import { checkContractRules } from './contract-rules.js'
import { varyOfCredentials } from './credential-vary.js'
import { collectDecorations, composeWrappers, mergeMeta } from './decorations.js'
import type { EndpointlessReplies } from './endpointless.js'
import type { VersionSettings } from './options.js'
import {
  bodyPlan,
  type FormatPlans,
  keyPlaces,
  idempotencyRecipe,
  producedType,
  planProviders,
  responsePlan,
  listSteps,
} from './plans.js'
import type { Call } from '../request/call.js'
import { credentialHeaders } from '../features/responses/credential-headers.js'
import { responseSteps } from '../features/responses/response-steps.js'
import { frameworkHeaders, NO_HEADERS } from '../request/framework-headers.js'
import { pipelineFor } from '../request/steps.js'
import type { Completion } from './startup.js'

/** State shared by the setup of all endpoints of an app. */
export interface SetupContext {
  /** Response settings from the app's options. */
  readonly responseSettings: ResponseSettings
  /** Services by name, as values or recipes. */
  readonly services: ServiceValues
  /** Defines the property of a service on a route's prototype. */
  readonly property: BoundServices['property']
  readonly completions: Completion[]
  /** Number of endpoints so far, which is also the number of the next one. */
  readonly prepared: { count: number }
  readonly limits: Limits
  /** Default timeout of handlers in ms; 0 disables it. */
  readonly timeout: number
  readonly converters: Converters
  /** Error format of the app; `undefined` for problem details. */
  readonly errorFormat: ErrorFormatSpec | undefined
  readonly formatPlans: FormatPlans
  readonly endpointless: EndpointlessReplies
  readonly planner: ProviderPlanner
  /** Receives the places of API keys, so that their values are hidden. */
  readonly secrets: Secrets
  readonly versioning: VersionSettings
}

/** A route class with its static members and its path. */
export interface PreparedRoute {
  readonly entry: RouteEntry
  readonly statics: Statics
  /** Mount, prefix and path of the class. */
  readonly template: Template
  /** Middleware of app, groups and class, outermost first. */
  readonly chain: readonly Middleware[]
}

export function prepareEndpoints(route: PreparedRoute, preparation: SetupContext): Endpoint<Call>[] {
  const { name, routeClass } = route.entry
  // Must run before `findEndpoints`, which ignores verbs that are declared as fields. This call throws for them.
  const { create, complete } = bindClass(routeClass, name, preparation)
  if (complete !== null) preparation.completions.push(complete)
  const ownMethods = route.entry.isMount ? [mountedMethod(routeClass)] : findEndpoints(routeClass, name)
  for (const method of ownMethods) checkContractRules(routeClass, name, method)
  return ownMethods.map((method) => addPipeline(buildEndpoint(route, method, create, preparation)))
}

/** Returns the only method of a mounted handler. */
function mountedMethod(routeClass: RouteClass): VerbMethod {
  return { verb: 'all', contract: readContract(readStatic(routeClass, 'all')) }
}

function methodName(verb: EndpointVerb): string {
  return verb === 'all' ? '*' : verb.toUpperCase()
}

/** Returns the parts of an endpoint that come from its decorators and metadata. */
function applyDecorators({ entry, statics, template }: PreparedRoute, method: VerbMethod) {
  const { name, routeClass } = entry
  const { verb, contract } = method
  const decorations = collectDecorations(routeClass, name, method)
  const meta = mergeMeta([statics.meta, decorations.meta, contract?.meta ?? {}])
  const deprecation = DEPRECATION.read(meta)
  return {
    meta,
    errors: decorations.errors,
    wrapper: composeWrappers(decorations.arounds, {
      route: name,
      method: methodName(verb),
      path: template.text,
      meta,
    }),
    decorators: decorations.labels,
    isTimed: SPEED.read(meta) !== undefined,
    sunset: deprecation?.sunset ?? null,
    frameworkHeaders: deprecation === undefined ? NO_HEADERS : frameworkHeaders(toHeaderChanges(deprecation.headers)),
    constraint: VERSION.read(meta) ?? null,
  }
}

/** Whether the endpoint has no guard and is marked as public by its contract, class or group. */
function isPublic(
  { entry, statics }: PreparedRoute,
  { verb, contract }: VerbMethod,
  plan: ProviderPlan | null,
): boolean {
  const guard = listSteps(plan).find(({ provider }) => provider.needs.security !== undefined)
  if (guard === undefined) return contract?.public ?? statics.isPublic ?? entry.section.isPublic ?? false
  if (contract?.public !== true) return false
  const state = `it has "public: true", but the guard "${guard.name}" requires credentials. Remove one of them`
  throw new SetupError('CONTRACT_INVALID', `Cannot use the contract of "${entry.name}.${verb}": ${state}`)
}

/** Merges declared errors from the contract outwards. Providers and decorators come last, because they are not specific to the endpoint. */
function describeProblems(
  { entry, statics }: PreparedRoute,
  contract: ContractSpec | undefined,
  shared: readonly ErrorsSpec[],
): EndpointPlan['problems'] {
  const ofGroups = entry.section.errors.toReversed().map((errors) => [errors])
  return mergeProblems([[contract?.errors ?? []], [statics.errors], ...ofGroups, shared])
}

/** Returns the errors that a provider declares, without errors that the verb cannot cause. */
function collectErrors(provider: ProviderRecipe, verb: EndpointVerb): ErrorsSpec {
  const { errors = [] } = provider.needs
  const { unsafeErrors } = unwrapOverride(provider)
  if (!VERB_FACTS[verb].isSafe || unsafeErrors.length === 0) return errors
  const isPossible = (status: unknown): boolean => !unsafeErrors.includes(Number(status))
  if (Array.isArray(errors)) return errors.filter(isPossible)
  return Object.fromEntries(Object.entries(errors).filter(([status]) => isPossible(status)))
}

/** The pipeline of an endpoint is built last, because its steps refer to the endpoint. */
type UnfinishedEndpoint = Omit<Endpoint<Call>, 'pipeline'> & { pipeline: Endpoint<Call>['pipeline'] }

function buildEndpoint(
  route: PreparedRoute,
  method: VerbMethod,
  create: EndpointPlan['create'],
  preparation: SetupContext,
): UnfinishedEndpoint {
  const plans = planEndpoint(route, method, preparation)
  const steps = responseSteps(route.entry.section.responseSettings)
  const errorPipeline = preparation.endpointless.pipeline(route.chain, steps)
  // A literal without spreads: otherwise each endpoint has another hidden class on Node 20, which takes 1 kB.
  return {
    number: preparation.prepared.count++,
    route: route.entry.name,
    verb: method.verb,
    method: methodName(method.verb),
    path: route.template.text,
    contract: method.contract,
    upgrade: plans.upgrade,
    tags: plans.tags,
    isFallback: route.statics.isFallback,
    isHidden: plans.isHidden,
    responseSettings: route.entry.section.responseSettings,
    isPublic: plans.isPublic,
    middleware: route.chain,
    create,
    // Proof: `findEndpoints` found a function with this name on the prototype chain.
    handler: Reflect.get(create.prototype, method.verb) as EndpointPlan['handler'],
    meta: plans.decorated.meta,
    wrapper: plans.decorated.wrapper,
    decorators: plans.decorated.decorators,
    isTimed: plans.decorated.isTimed,
    sunset: plans.decorated.sunset,
    frameworkHeaders: plans.decorated.frameworkHeaders,
    constraint: plans.decorated.constraint,
    problems: plans.problems,
    produces: producedType(plans.response),
    body: plans.body,
    providers: plans.providers,
    idempotency: idempotencyRecipe(method.contract),
    sources: plans.sources,
    response: plans.response,
    status: method.contract?.status,
    timeout: plans.timeout,
    errorFormat: plans.errorFormat,
    pipeline: errorPipeline,
    errorPipeline,
    trustsOrigin: steps.trustsOrigin,
    credentialHeaders: plans.credentialHeaders,
  }
}

function addPipeline(endpoint: UnfinishedEndpoint): Endpoint<Call> {
  endpoint.pipeline = pipelineFor(endpoint, endpoint.middleware, responseSteps(endpoint.responseSettings))
  return endpoint
}

/** Reads the contract, the providers and the decorators of an endpoint. */
function planEndpoint(route: PreparedRoute, method: VerbMethod, preparation: SetupContext) {
  const { verb, contract = NO_CONTRACT } = method
  const { entry, statics } = route
  const providers = planProviders(entry, statics, method, preparation.planner)
  for (const place of keyPlaces(providers)) preparation.secrets.addPlace(place)
  const needs = providers ?? NO_NEEDS
  const where = `${entry.name}.${verb}`
  const sources = planSources(contract, preparation.converters, `the contract of "${where}"`)
  const response = contract.returns === undefined ? null : responsePlan(contract.returns, preparation.converters)
  const decoratedParts = applyDecorators(route, method)
  const ofProviders = listSteps(providers).map(({ provider }) => collectErrors(provider, verb))
  return {
    providers,
    sources: [...sources.map(({ source, text }) => ({ source, text, slot: null })), ...needs.sources],
    response,
    decorated: decoratedParts,
    tags: [...entry.section.tags, ...statics.tags, ...(contract.tags ?? [])],
    upgrade: entry.upgrade?.protocol ?? null,
    isHidden: statics.isFallback || contract.hidden === true,
    isPublic: isPublic(route, method, providers),
    problems: describeProblems(route, contract, [...ofProviders, decoratedParts.errors]),
    body: bodyPlan(method, { ...preparation, where, isRawNeeded: needs.raw.some(wantsBytes) }),
    // An upgrade lasts as long as its connection.
    timeout: entry.upgrade === null ? (contract.timeout ?? preparation.timeout) : 0,
    // A format could drop the names of the services that are not ready.
    errorFormat: REPORTS_HEALTH.read(decoratedParts.meta)
      ? null
      : preparation.formatPlans.of(entry.section.errorFormat),
    credentialHeaders: findCredentialHeaders(providers),
  }
}

const NO_CONTRACT: ContractSpec = {}

function findCredentialHeaders(providers: ProviderPlan | null): Endpoint<Call>['credentialHeaders'] {
  const vary = varyOfCredentials(providers)
  return vary === null ? null : credentialHeaders(vary)
}

function wantsBytes({ provider }: ProviderStep): boolean {
  return provider.needs.rawBody === true
}

const NO_NEEDS: Pick<ProviderPlan, 'sources' | 'raw'> = { sources: [], raw: [] }
