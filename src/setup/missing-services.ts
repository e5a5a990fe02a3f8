/** Services by name, as passed to providers and `create` functions. Reading a missing name throws. */
import { suggestion } from '../errors/known-keys.js'
import { SetupError } from '../errors/setup-error.js'
import { strictPrototype } from '../values/strict-reads.js'

type Services = Readonly<Record<string, unknown>>

export function servicesForProviders(values: Services): Services {
  const names = Object.keys(values)
  const prototype = strictPrototype((name) => {
    const available = names.length === 0 ? 'the app has no services' : `the app has the services ${names.join(', ')}`
    const state = `it is not in "services".${suggestion(name, names)}`
    return new TypeError(`Cannot read the service "${name}" in a provider: ${state} Add it; ${available}`)
  })
  return withPrototype(prototype, values)
}

/**
 * Returns the services created so far, for the `create` function of `service`.
 *
 * @param names all names of the app, in order
 * @param readLog returns the log, which is in addition to the services. No service can have its name
 */
export function servicesForCreate(
  service: string,
  created: Services,
  names: readonly string[],
  readLog: () => unknown,
): Services {
  const strict = strictPrototype((name) => new SetupError('SERVICE_MISSING', describeMissing(service, name, names)))
  const prototype: object = Object.create(strict, { log: { get: readLog } })
  return withPrototype(prototype, created)
}

function describeMissing(service: string, name: string, names: readonly string[]): string {
  const what = `Cannot create the service "${service}": it reads "${name}"`
  if (name === service) return `${what}, which does not exist yet. Remove "${name}" from the parameters of its function`
  if (names.includes(name)) return `${what}, which is created later. Put "${name}" before "${service}" in "services"`
  return `${what}, which is not in "services".${suggestion(name, names)} Add "${name}" before "${service}"`
}

function withPrototype(prototype: object, values: Services): Services {
  // Proof: the new object has the properties of `values`.
  return Object.freeze(Object.create(prototype, Object.getOwnPropertyDescriptors(values))) as Services
}
