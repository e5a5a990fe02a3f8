/** `invoke`: calls one method of a route class without an app. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { RequestContext, type ContextSource, type SourceApp } from '../context/request-context.js'
import type { Context, Flat } from '../context/types.js'
import { describeForeign } from '../errors/copies.js'
import { SetupError } from '../errors/setup-error.js'
import type { Verb, VerbsAt } from '../http/methods.js'
import { isIdempotency } from '../route/idempotency.js'
import { findEndpoints } from '../route/endpoints.js'
import { isRouteClass } from '../setup/collect.js'
import { bindClass, serviceProperty, readStatics, type RouteClass } from '../route/route-class.js'
import { classPath } from '../naming/kebab-case.js'
import { SILENT } from '../observe/logger.js'
import { TrustedProxies } from '../http/forwarded.js'
import { WebExchange } from '../http/web-exchange.js'
import type { Contract, Source } from '../route/contract.js'
import type { Input } from '../route/route-types.js'
import type { AnyRoute, RouteBase } from '../route/route.js'
import { joinPaths, parseTemplate } from '../router/template.js'
import { buildHref } from '../setup/href.js'
import { noop } from '../values/noop.js'
import { TEST_ADDRESS } from './variant.js'

startStackAtCaller(invoke)

type SourceName = Source | 'rawBody'
type Optional<T> = { [K in keyof T as {} extends T[K] ? K : never]?: T[K] } & {
  [K in keyof T as {} extends T[K] ? never : K]: T[K]
}

type InputAt<Class, V extends Verb> = Class extends { readonly [K in V]: infer C extends Contract } ? Input<C> : Input
type SourcesOf<I> = { [K in keyof I & SourceName]: I[K] }
type UsesOf<I> = { [K in Exclude<keyof I, SourceName | keyof Context>]: I[K] }
type ServicesAt<Class> = Class extends abstract new () => RouteBase<infer Services> ? Services : {}

/** Return type of a method, with promises resolved. */
export type ReturnAt<Class, V extends Verb> =
  // oxlint-disable-next-line no-explicit-any -- matches any parameters
  Class extends abstract new () => { [K in V]: (...args: any) => infer Value } ? Awaited<Value> : never

/** Options that do not depend on the contract. */
export interface InvokedRequest {
  /** Request for `context.request`; default: a GET of `/`. */
  readonly request?: Request
}

/** Provider values and services of a method. */
export interface InvokedParts<Uses, Services> {
  /** Values of the providers of contract and class, by name. */
  readonly uses: Uses
  /** Services that the class requires, by name. */
  readonly services: Services
}

/** Arguments of `invoke`: validated sources such as `params` and `body`, provider values in `uses`, `services`, and a `request`. */
export type Invoked<Class, V extends Verb> = InvokedRequest &
  Flat<
    Optional<SourcesOf<InputAt<Class, V>>> & Optional<InvokedParts<Flat<UsesOf<InputAt<Class, V>>>, ServicesAt<Class>>>
  >

/**
 * Calls one method of a class without an app, and returns its result. Verbena does not validate anything, and does not run middleware,
 * providers and decorators. Headers and tasks that the method adds to `response` are ignored.
 *
 * @param route route class
 * @param verb name of the method
 * @param given validated sources, provider values, services and request; optional if nothing is required
 * @returns the return value of the method
 * @throws SetupError `TEST_INVALID` if the class has no such endpoint, and for any mistake in the class
 *
 * @example
 * ```ts
 * import { HttpError, provide, Route, type Input } from 'verbena'
 * import { invoke } from 'verbena/testing'
 *
 * const user = provide({}, () => ({ name: 'nobody' }))
 *
 * class Notes extends Route<{ notes: Map<string, string> }> {
 *   static readonly path = '/notes/{id}'
 *   static readonly get = this.contract({ uses: { user }, errors: [404] })
 *   async get({ params, user }: Input<typeof Notes.get>) {
 *     const text = this.notes.get(params.id)
 *     if (text === undefined) throw new HttpError(404, `Nothing for ${user.name}`)
 *     return text
 *   }
 * }
 * const services = { notes: new Map([['1', 'milk']]) }
 * const uses = { user: { name: 'ada' } }
 * await invoke(Notes, 'get', { params: { id: '1' }, uses, services }) // => 'milk'
 * await invoke(Notes, 'get', { params: { id: '2' }, uses, services }) // => throws /Nothing for ada/
 * ```
 */
export async function invoke<Class extends AnyRoute, const V extends VerbsAt<Class>>(
  route: Class,
  verb: V,
  ...[given]: {} extends Invoked<Class, V> ? [given?: Invoked<Class, V>] : [given: Invoked<Class, V>]
): Promise<ReturnAt<Class, V>> {
  // Proof: `invocation` calls the method with this name.
  return invocation(route, verb, given ?? {}) as Promise<ReturnAt<Class, V>>
}

interface Loose extends InvokedRequest {
  readonly uses?: Readonly<Record<string, unknown>>
  readonly services?: Readonly<Record<string, unknown>>
}

const NOT_A_ROUTE = 'the class must extend Route. Pass the class itself'

function invocation(route: unknown, verb: string, methodInput: Loose): unknown {
  const { uses = {}, services = {}, request = new Request('http://localhost/'), ...sources } = methodInput
  if (!isRouteClass(route)) {
    const foreign = describeForeign(route)
    throw invokeError(verb, foreign === undefined ? NOT_A_ROUTE : `the class is ${foreign}`)
  }
  const { name } = route
  const endpoint = findEndpoints(route, name).find((endpoint) => endpoint.verb === verb)
  if (endpoint === undefined) {
    throw invokeError(verb, `"${name}" has no such endpoint. Use the name of one of its verb methods`)
  }
  const { create } = bindClass(route, name, { services, property: serviceProperty })
  const once: unknown = endpoint.contract?.idempotency
  const requestKey = isIdempotency(once) ? once.readKey(request.headers.get('idempotency-key') ?? undefined) : undefined
  const source = toContextSource(request, requestKey)
  const input = Object.assign(new RequestContext(source), { params: {} }, sources, uses)
  const instance = new create()
  // Proof: an endpoint is a function on the prototype chain.
  const method = Reflect.get(instance, verb) as (methodInput: object) => unknown
  return method.call(instance, input)
}

function toContextSource(request: Request, requestKey: string | undefined): ContextSource {
  const { pathname: path, search } = new URL(request.url)
  const exchange = new WebExchange(request, noop)
  const invokedRequest = {
    exchange,
    path,
    query: search.slice(1),
    id: 'test',
    log: SILENT,
    signal: request.signal,
    readsCredentials: false,
    requestKey,
  }
  return { ...invokedRequest, endpointView: undefined, app: APP, trustsOrigin: () => false, change: noop, tasks: null }
}

/** App of an invoked method. `href` uses prefix and path of a class, because the class has no mount. */
const APP: SourceApp = {
  clientOf: () => TEST_ADDRESS,
  proxies: new TrustedProxies([]),
  services: {},
  href: (route, params, query) => {
    // Proof: a `Linkable` is a route class, and `buildHref` only compares its identity.
    const routeClass = route as RouteClass
    const { prefix, path = classPath(route.name) } = readStatics(routeClass, route.name)
    const template = parseTemplate(joinPaths(prefix, path), route.name)
    return buildHref(new Map([[routeClass, [template]]]), route, params, query)
  },
}

function invokeError(verb: string, why: string): SetupError {
  return new SetupError('TEST_INVALID', `Cannot invoke "${verb}": ${why}`)
}
