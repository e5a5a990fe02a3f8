/** Calling one method of a class without an app around it: for tests. */
import type { ContextSource, SourceApp } from '../context/context-source.js'
import { RequestContext } from '../context/request-context.js'
import { SetupError } from '../errors/setup-error.js'
import { WebExchange } from '../http/web-exchange.js'
import type { ServiceValues } from '../injection/service-store.js'
import { SILENT } from '../logging/logger.js'
import { classPath } from '../naming/class-path.js'
import { bindClass, serviceProperty } from '../route/bind-class.js'
import { isRouteClass } from '../route/collect.js'
import { findEndpoints } from '../route/endpoints.js'
import { readStatics, type RouteClass } from '../route/statics.js'
import { parseTemplate, type Template } from '../router/template.js'
import { hrefOf } from '../setup/href.js'

/** What a method is called with. */
export interface InvocationInput {
  /** The sources, as the method gets them; all others are `undefined`. */
  readonly sources: Readonly<Record<string, unknown>>
  /** Values of providers by name. */
  readonly uses: Readonly<Record<string, unknown>>
  readonly services: ServiceValues
  /** What the context shows of the request. */
  readonly request: Request
}

/** Calls a method. */
export function invocation(route: unknown, verb: string, given: InvocationInput): unknown {
  if (!isRouteClass(route)) throw invalid(verb, 'its class does not extend Route. Give the class itself')
  const { name } = route
  if (!findEndpoints(route, name).some((endpoint) => endpoint.verb === verb)) {
    throw invalid(verb, `"${name}" has no such endpoint. Give the name of one of its verb methods`)
  }
  const { create } = bindClass(route, name, { services: given.services, property: serviceProperty })
  const input = Object.assign(new RequestContext(sourceOf(given.request)), { params: {} }, given.sources, given.uses)
  const instance = new create()
  // Proof: an endpoint is a function on the prototype chain.
  const method = Reflect.get(instance, verb) as (given: object) => unknown
  return method.call(instance, input)
}

function sourceOf(request: Request): ContextSource {
  const { pathname, search } = new URL(request.url)
  return {
    exchange: new WebExchange(request, () => {}),
    path: pathname,
    query: search.slice(1),
    id: 'test',
    log: SILENT,
    signal: request.signal,
    endpointView: undefined,
    app: APP,
    changes: null,
    tasks: null,
  }
}

/** Links lead to where a class says it is: nobody has mounted it. */
const APP: SourceApp = {
  clientOf: () => '',
  href: (route, params, query) => {
    // Proof: a class without parameters, as `Linkable` is, of which `hrefOf` compares no more than its identity.
    const routeClass = route as RouteClass
    return hrefOf(new Map([[routeClass, [templateOf(routeClass)]]]), route, { params, query })
  },
}

function templateOf(routeClass: RouteClass): Template {
  const { prefix, path } = readStatics(routeClass, routeClass.name)
  return parseTemplate(prefix + (path ?? classPath(routeClass.name)), routeClass.name)
}

function invalid(verb: string, why: string): SetupError {
  return new SetupError('TEST_INVALID', `Cannot invoke "${verb}": ${why}`)
}
