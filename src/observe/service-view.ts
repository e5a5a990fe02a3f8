/**
 * Views of services, which record calls for the console. A service must behave the same with and without a view: its methods never
 * see one, and a property or a result that is a service is a view again.
 *
 * @see docs/decisions/0035-views-of-services.md
 */
import { isProxy } from 'node:util/types'
import { noop } from '../values/noop.js'
import { isObject, type UnknownRecord } from '../values/objects.js'
import type { RequestRecorder } from './request-recorder.js'
import { canView } from './can-view.js'

/** The service of each view, the method of each recorded method, and the promise of each mapped promise. */
const originals = new WeakMap<object, object>()
const namesByServices = new WeakMap<UnknownRecord, ReadonlyMap<unknown, string>>()

function unwrap(value: unknown): unknown {
  return canHaveView(value) ? (originals.get(value) ?? value) : value
}

function canHaveView(value: unknown): value is object {
  return isObject(value) || typeof value === 'function'
}

/** Names by service: values of `services` that are objects or functions. */
function nameServices(services: UnknownRecord): ReadonlyMap<unknown, string> {
  const before = namesByServices.get(services)
  if (before !== undefined) return before
  const named = Object.entries(services).filter(([, value]) => canHaveView(value))
  // The first name of a service that has two.
  const names = new Map(named.toReversed().map(([name, value]) => [value, name]))
  namesByServices.set(services, names)
  return names
}

/** Whether a service can have a view. */
export function hasViews(services: UnknownRecord): boolean {
  return nameServices(services).size > 0
}

type CallRecorder = Pick<RequestRecorder, 'called'>

/** The views of one request. */
export class ServiceViews {
  readonly #trail: CallRecorder
  readonly #services: UnknownRecord
  readonly #names: ReadonlyMap<unknown, string>
  /** Views by service, mapped promises by promise. */
  readonly #views = new Map<object, object>()
  readonly #methods = new Map<object, RecordedMethod>()
  #all: UnknownRecord | null = null

  constructor(services: UnknownRecord, trail: CallRecorder) {
    this.#services = services
    this.#trail = trail
    this.#names = nameServices(services)
  }

  /** All services by name, for a provider. */
  get all(): UnknownRecord {
    return (this.#all ??= this.#viewAll())
  }

  #viewAll(): UnknownRecord {
    const views: UnknownRecord = Object.create(Object.getPrototypeOf(this.#services))
    for (const [name, value] of Object.entries(this.#services)) {
      Object.defineProperty(views, name, { value: this.view(value), enumerable: true })
    }
    return Object.freeze(views)
  }

  /** Returns the view of a service, and any other value unchanged. */
  view(value: unknown): unknown {
    if (!canHaveView(value)) return value
    const service = originals.get(value) ?? value
    const name = this.#names.get(service)
    return name === undefined ? value : (this.#views.get(service) ?? this.#create(name, service))
  }

  #create(name: string, service: object): object {
    const isFunction = typeof service === 'function'
    const isViewable = isFunction ? isMethod(service) : canView(service, this.#names)
    // A proxy must return fixed properties unchanged, so the view of a frozen object is a proxy of a copy.
    const isCopied = isViewable && !isFunction && Object.isFrozen(service)
    const target: object = isCopied ? Object.create(Object.getPrototypeOf(service)) : service
    const view = isViewable ? new Proxy(target, new ViewHandler(name, service, this)) : service
    this.#views.set(service, view)
    if (isViewable) originals.set(view, service)
    if (isCopied) this.#freezeCopy(target, { name, service })
    return view
  }

  #freezeCopy(target: object, { name, service }: { readonly name: string; readonly service: object }): void {
    for (const key of Reflect.ownKeys(service)) {
      const property = { ...Object.getOwnPropertyDescriptor(service, key) }
      if ('value' in property) property.value = this.member(property.value, name, key)
      Object.defineProperty(target, key, property)
    }
    Object.preventExtensions(target)
  }

  /** Returns the value of a property as the caller sees it: a view, a recorded method, or the value itself. */
  member(value: unknown, name: string, key: string | symbol): unknown {
    if (typeof value === 'function') return key === 'constructor' ? value : this.#method(value, name, key)
    if (!isPlainPromise(value)) return this.view(value)
    const mapped = this.#mapped(value)
    // The caller may only test the property. Its rejection is the service's to handle.
    mapped.catch(noop)
    return mapped
  }

  #method(value: Function, name: string, key: string | symbol): unknown {
    const method = originals.get(value) ?? value
    if (this.#names.has(method)) return this.view(method)
    if (!isMethod(method)) return value
    let recorded = this.#methods.get(method)
    if (recorded === undefined) {
      recorded = new RecordedMethod(this)
      const view = new Proxy(method, recorded)
      recorded.view = view
      originals.set(view, method)
      this.#methods.set(method, recorded)
    }
    // A method may have two keys and belong to two services: the last read comes before the call.
    recorded.name = name
    recorded.key = key
    return recorded.view
  }

  /** The name of the service that a method is called on; `undefined` if `self` is not a service. */
  nameOf(self: unknown): string | undefined {
    return this.#names.get(self)
  }

  /** Records a call, and returns its result as the caller sees it. */
  call(method: Function, self: unknown, args: readonly unknown[], name: string | null): unknown {
    const open = name === null ? null : this.#trail.called(name, args, method)
    let result: unknown
    try {
      result = open === null ? Reflect.apply(method, self, args) : open.run(method, self, args)
    } catch (error) {
      open?.end(error ?? NO_MEMBERS)
      throw error
    }
    // Other thenables are not awaited: a query builder would send its query.
    if (!isPlainPromise(result)) {
      open?.end(undefined, result)
      return this.view(result)
    }
    if (open !== null) {
      result.then(
        (value) => open.end(undefined, value),
        (error: unknown) => open.end(error ?? NO_MEMBERS),
      )
    }
    return this.#mapped(result)
  }

  /** Returns the same promise for the same promise. Node reports an unhandled rejection as it would without a view. */
  #mapped(promise: Promise<unknown>): Promise<unknown> {
    const before = this.#views.get(promise)
    if (before instanceof Promise) return before
    const mapped = promise.then((value) => this.view(value))
    originals.set(mapped, promise)
    this.#views.set(promise, mapped)
    return mapped
  }
}

const NO_MEMBERS = new Error('Nothing was thrown')

class ViewHandler implements ProxyHandler<object> {
  readonly #name: string
  readonly #service: object
  readonly #views: ServiceViews

  constructor(name: string, service: object, views: ServiceViews) {
    this.#name = name
    this.#service = service
    this.#views = views
  }

  /** Getters run on the service, because a view has no private fields. */
  get(target: object, key: string | symbol, receiver: unknown): unknown {
    const descriptor = Reflect.getOwnPropertyDescriptor(target, key)
    if (descriptor !== undefined && isFixedProperty(descriptor)) return descriptor.value
    return this.#views.member(Reflect.get(this.#service, key, unwrap(receiver)), this.#name, key)
  }

  /** The service is a function. */
  apply(target: Function, self: unknown, args: readonly unknown[]): unknown {
    return this.#views.call(target, unwrap(self), args.map(unwrap), this.#name)
  }

  set(_target: object, key: string | symbol, value: unknown, receiver: unknown): boolean {
    return Reflect.set(this.#service, key, unwrap(value), unwrap(receiver))
  }

  getOwnPropertyDescriptor(target: object, key: string | symbol): PropertyDescriptor | undefined {
    const descriptor = Reflect.getOwnPropertyDescriptor(target, key)
    if (descriptor === undefined || !('value' in descriptor) || isFixedProperty(descriptor)) return descriptor
    return { ...descriptor, value: this.#views.member(descriptor.value, this.#name, key) }
  }

  defineProperty(target: object, key: string | symbol, property: PropertyDescriptor): boolean {
    const canChange = 'value' in property && (property.configurable === true || property.writable === true)
    return Reflect.defineProperty(target, key, canChange ? { ...property, value: unwrap(property.value) } : property)
  }
}

/** A proxy must return the value of such a property unchanged. */
function isFixedProperty({ configurable, writable }: PropertyDescriptor): boolean {
  return configurable === false && writable === false
}

class RecordedMethod implements ProxyHandler<Function> {
  name: string = ''
  key: string | symbol = ''
  view: object | null = null
  readonly #views: ServiceViews

  constructor(views: ServiceViews) {
    this.#views = views
  }

  apply(method: Function, self: unknown, args: readonly unknown[]): unknown {
    const { key } = this
    const service = unwrap(self)
    const name = typeof key === 'symbol' ? null : `${this.#views.nameOf(service) ?? this.name}.${key}`
    return this.#views.call(method, service, args.map(unwrap), name)
  }
}

const methods = new WeakMap<object, boolean>()

/** Whether a function can have a view: a class is compared with `value.constructor`, and a proxy must not get a second one. */
function isMethod(value: object): boolean {
  const before = methods.get(value)
  if (before !== undefined) return before
  const result = !isProxy(value) && !isClass(value)
  methods.set(value, result)
  return result
}

function isClass(value: object): boolean {
  const text = Function.prototype.toString.call(value)
  if (text.startsWith('class')) return true
  const prototype: unknown = Object.getOwnPropertyDescriptor(value, 'prototype')?.value
  if (!isObject(prototype)) return false
  return text.endsWith('{ [native code] }') || Reflect.ownKeys(prototype).some((key) => key !== 'constructor')
}

/** Promises of libraries can have additional methods, which a promise that `then` returns does not have. */
function isPlainPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise && value.constructor === Promise && Object.getOwnPropertyNames(value).length === 0
}
