/** `invoke`: one method of a class, without an app around it. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { RequestContext, type ContextSource, type SourceApp } from '../context/request-context.js'
import type { Context, Flat } from '../context/types.js'
import { SetupError } from '../errors/setup-error.js'
import type { Verb } from '../http/methods.js'
import { findEndpoints } from '../route/endpoints.js'
import { isRouteClass } from '../route/collect.js'
import { bindClass, serviceProperty, readStatics, type RouteClass } from '../route/route-class.js'
import { classPath } from '../naming/kebab-case.js'
import { SILENT } from '../observe/logger.js'
import { TrustedProxies } from '../http/forwarded.js'
import { WebExchange } from '../http/web-exchange.js'
import type { Contract, Source } from '../route/contract.js'
import type { Input } from '../route/route-types.js'
import type { AnyRoute, RouteBase } from '../route/route.js'
import { parseTemplate } from '../router/template.js'
import { buildHref } from '../setup/href.js'
import { noop } from '../values/ignore.js'

startStackAtCaller(invoke)

type SourceName = Source | 'rawBody'
type Optional<T> = { [K in keyof T as {} extends T[K] ? K : never]?: T[K] } & {
  [K in keyof T as {} extends T[K] ? never : K]: T[K]
}

type InputAt<Class, V extends Verb> = Class extends { readonly [K in V]: infer C extends Contract } ? Input<C> : Input
type SourcesOf<I> = { [K in keyof I & SourceName]: I[K] }
type UsesOf<I> = { [K in Exclude<keyof I, SourceName | keyof Context>]: I[K] }
type ServicesAt<Class> = Class extends abstract new () => RouteBase<infer Services> ? Services : {}

/** Names of the verb methods of a class. */
export type VerbsAt<Class> = Class extends abstract new () => infer Instance ? keyof Instance & Verb : never

/** What a method returns; a promise is waited for. */
export type ReturnAt<Class, V extends Verb> =
  // oxlint-disable-next-line no-explicit-any -- whatever its parameters
  Class extends abstract new () => { [K in V]: (...given: any) => infer Value } ? Awaited<Value> : never

/** What is not of the contract. */
export interface InvokedRequest {
  /** What `request` shows; a GET of `/` unless given. */
  readonly request?: Request
}

/** What a method uses beside the sources. */
export interface InvokedParts<Uses, Services> {
  /** Values of the providers that contract and class use, by name. */
  readonly uses: Uses
  /** The services that its class asks for. */
  readonly services: Services
}

/** What a method is called with: sources as it gets them, values of what it uses, and the services of its class. */
export type Invoked<Class, V extends Verb> = InvokedRequest &
  Flat<
    Optional<SourcesOf<InputAt<Class, V>>> & Optional<InvokedParts<Flat<UsesOf<InputAt<Class, V>>>, ServicesAt<Class>>>
  >

/**
 * Calls one method of a class, without an app around it: nothing is validated, no middleware and no provider runs, and what the
 * method returns is what you get. `response` takes headers and tasks, and nobody looks at them.
 *
 * @param route the class
 * @param verb name of the method
 * @param given what it is called with; may be left out where all of it may
 * @returns what the method returns
 * @throws SetupError `TEST_INVALID` where the class has no such endpoint, and for every mistake in the class
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
  // Proof: it is the method of this name that is called.
  return invocation(route, verb, given ?? {}) as Promise<ReturnAt<Class, V>>
}

interface Loose extends InvokedRequest {
  readonly uses?: Readonly<Record<string, unknown>>
  readonly services?: Readonly<Record<string, unknown>>
}

function invocation(route: unknown, verb: string, given: Loose): unknown {
  const { uses = {}, services = {}, request = new Request('http://localhost/'), ...sources } = given
  if (!isRouteClass(route)) throw invokeError(verb, 'its class does not extend Route. Give the class itself')
  const { name } = route
  if (!findEndpoints(route, name).some((endpoint) => endpoint.verb === verb)) {
    throw invokeError(verb, `"${name}" has no such endpoint. Give the name of one of its verb methods`)
  }
  const { create } = bindClass(route, name, { services, property: serviceProperty })
  const input = Object.assign(new RequestContext(toContextSource(request)), { params: {} }, sources, uses)
  const instance = new create()
  // Proof: an endpoint is a function on the prototype chain.
  const method = Reflect.get(instance, verb) as (given: object) => unknown
  return method.call(instance, input)
}

function toContextSource(request: Request): ContextSource {
  const { pathname: path, search } = new URL(request.url)
  const exchange = new WebExchange(request, noop)
  const invokedRequest = {
    exchange,
    path,
    query: search.slice(1),
    id: 'test',
    log: SILENT,
    signal: request.signal,
    hasCredentials: false,
  }
  return { ...invokedRequest, endpointView: undefined, app: APP, trustsOrigin: () => false, change: noop, tasks: null }
}

/** Links lead to where a class says it is: nobody has mounted it. */
const APP: SourceApp = {
  clientOf: () => '',
  proxies: new TrustedProxies([]),
  href: (route, params, query) => {
    // Proof: a class without parameters, as `Linkable` is, of which `hrefOf` compares no more than its identity.
    const routeClass = route as RouteClass
    const { prefix, path = classPath(route.name) } = readStatics(routeClass, route.name)
    const template = parseTemplate(prefix + path, route.name)
    return buildHref(new Map([[routeClass, [template]]]), route, params, query)
  },
}

function invokeError(verb: string, why: string): SetupError {
  return new SetupError('TEST_INVALID', `Cannot invoke "${verb}": ${why}`)
}
