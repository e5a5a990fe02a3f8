/** Binding a class to the services of an app: one prototype for each app and class, at no cost for a request. */
import { SetupError } from '../errors/setup-error.js'
import { isVerb } from './endpoints.js'
import { fieldError, type RouteClass } from './statics.js'

/** The names that handlers get in their input; neither a service nor a provider may have one of them. */
export const CONTEXT_NAMES: readonly string[] = [
  ...['params', 'query', 'headers', 'cookies', 'body', 'rawBody'],
  ...['request', 'response', 'signal', 'log'],
]

/**
 * Makes the class whose instances have the services on `this`, in constructors and field initialisers too.
 *
 * @param routeClass of an app
 * @param name of the route
 * @param services values by name
 * @returns a class that is made anew for each request
 * @throws SetupError `SERVICE_NAME`, `ROUTE_FIELD`
 */
export function bindClass(
  routeClass: RouteClass,
  name: string,
  services: Readonly<Record<string, unknown>>,
): new () => object {
  const Bound = class extends routeClass {}
  // `this.constructor` stays the author's class.
  Object.defineProperty(Bound.prototype, 'constructor', { value: routeClass, configurable: true, writable: true })
  for (const [service, value] of Object.entries(services)) {
    checkServiceName(routeClass, name, service)
    Object.defineProperty(Bound.prototype, service, { value, enumerable: true })
  }
  checkFields(Bound, name, services)
  return Bound
}

function checkServiceName(routeClass: RouteClass, name: string, service: string): void {
  if (!(service in routeClass.prototype)) return
  const wayOut = 'Rename the service or the member'
  throw new SetupError(
    'SERVICE_NAME',
    `Cannot give the service "${service}" to "${name}": the class has a member of this name. ${wayOut}`,
  )
}

/** Instance fields can only be seen on an instance: one is made and looked at. */
function checkFields(Bound: new () => object, name: string, services: Readonly<Record<string, unknown>>): void {
  for (const field of fieldsOf(Bound)) {
    if (field === 'path') {
      throw fieldError(
        'the field "path"',
        name,
        `it belongs to an instance. Declare it static: "static readonly path = '/…'"`,
      )
    }
    if (isVerb(field)) {
      throw fieldError(`the field "${field}"`, name, `an endpoint is a method. Write "async ${field}() { … }"`)
    }
    if (Object.hasOwn(services, field)) {
      const wayOut = `Write "declare ${field}: …", or extend Route<{ ${field}: … }>`
      throw fieldError(`the field "${field}"`, name, `it hides the service of this name. ${wayOut}`)
    }
  }
}

/** A constructor that throws without a request is its author's affair: it will throw again, and be logged, with one. */
function fieldsOf(Bound: new () => object): string[] {
  try {
    return Object.keys(new Bound())
  } catch {
    return []
  }
}
