/** Binding a class to the services of an app: one prototype for each app and class, at no cost for a request. */
import { SetupError } from '../errors/setup-error.js'
import { isVerb } from '../http/methods.js'
import { type ServiceValues, ServiceRecipe } from '../injection/service-store.js'
import { fieldError, type RouteClass } from './class-statics.js'

export interface BoundServices {
  readonly services: ServiceValues
  readonly property: (name: string, value: unknown) => PropertyDescriptor
}

interface BoundClass {
  readonly create: new () => object
  complete(services: ServiceValues): void
}

/** Makes the class whose instances have the services on `this`, in constructors and field initialisers too. */
export function bindClass(routeClass: RouteClass, name: string, { services, property }: BoundServices): BoundClass {
  const Bound = class extends routeClass {}
  // `this.constructor` stays the author's class.
  Object.defineProperty(Bound.prototype, 'constructor', { value: routeClass, configurable: true, writable: true })
  const pending = new Set<string>()
  for (const [service, value] of Object.entries(services)) {
    checkServiceName(routeClass, name, service)
    const isPending = value instanceof ServiceRecipe
    if (isPending) pending.add(service)
    Object.defineProperty(Bound.prototype, service, isPending ? notMade(service) : property(service, value))
  }
  const isSeen = checkFields(Bound, name, services)
  const complete = (values: ServiceValues): void => {
    for (const service of pending) {
      Object.defineProperty(Bound.prototype, service, { ...property(service, values[service]), configurable: false })
    }
    // A start that fails for another class is tried again.
    pending.clear()
    // What reads a service in a field can be seen only now.
    if (!isSeen) checkFields(Bound, name, services)
  }
  return { create: Bound, complete }
}

/** A service as a property, where no observer wants to see its calls. */
export function serviceProperty(_name: string, value: unknown): PropertyDescriptor {
  return { value, enumerable: true }
}

/** Read by a field of the trial instance; requests wait until the services are made. */
function notMade(service: string): PropertyDescriptor {
  const get = (): never => {
    throw new Error(`Cannot read the service "${service}": it is not made yet`)
  }
  return { get, enumerable: true, configurable: true }
}

function checkServiceName(routeClass: RouteClass, name: string, service: string): void {
  if (!(service in routeClass.prototype)) return
  const why = 'the class has a member of this name. Rename the service or the member'
  throw new SetupError('SERVICE_NAME', `Cannot give the service "${service}" to "${name}": ${why}`)
}

/** Instance fields can only be seen on an instance: one is made and looked at. */
function checkFields(Bound: new () => object, name: string, services: ServiceValues): boolean {
  const fields = fieldsOf(Bound)
  for (const field of fields ?? []) {
    const flaw = flawOf(field, services)
    if (flaw !== undefined) throw fieldError(`the field "${field}"`, name, flaw)
  }
  return fields !== null
}

function flawOf(field: string, services: ServiceValues): string | undefined {
  if (field === 'path') return `it belongs to an instance. Declare it static: "static readonly path = '/…'"`
  if (isVerb(field)) return `an endpoint is a method. Write "async ${field}() { … }"`
  if (!Object.hasOwn(services, field)) return undefined
  return `it hides the service of this name. Write "declare ${field}: …", or extend Route<{ ${field}: … }>`
}

function fieldsOf(Bound: new () => object): string[] | null {
  try {
    return Object.keys(new Bound())
  } catch (error) {
    if (error instanceof SetupError && error.code === 'DECORATOR_HIDDEN') throw error
    return null
  }
}
