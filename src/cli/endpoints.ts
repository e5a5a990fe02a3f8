/** Endpoints of an app as commands show them. */
import type { ProviderStep } from '../injection/plan.js'
import type { Endpoint } from '../request/endpoint.js'
import type { Registry } from '../setup/register.js'
import { findPlaces, placeMembers, type PlaceMembers, type SourcePlace } from '../prove/source-places.js'

/** An endpoint, as `--json` prints it: also the file and the line of its method. */
export type ShownEndpoint = PlaceMembers & {
  readonly method: string
  readonly path: string
  /** Version constraint; `null` for all versions. */
  readonly version: string | null
  /** Names of its guards, in order. */
  readonly guards: readonly string[]
  /** Whether its author declared it public. */
  readonly public: boolean
  /** Name of the route. */
  readonly class: string
  /** Place of the class, which differs from the file of an inherited method. */
  readonly classAt: SourcePlace | null
}

/** Returns the endpoints of the routes in the order of registration, then the built-in endpoints. */
export function listEndpoints({ endpoints, builtIn }: Pick<Registry, 'endpoints' | 'builtIn'>): Endpoint[] {
  return [...endpoints, ...builtIn]
}

export function showEndpoints(endpoints: readonly Endpoint[]): ShownEndpoint[] {
  const classes = endpoints.map(({ create }) => Object.getPrototypeOf(create))
  const places = findPlaces([...endpoints.map(({ handler }) => handler), ...classes])
  return endpoints.map(({ method, path, constraint, providers, isPublic, route, handler, create }) => ({
    ...{ method, path, version: constraint?.text ?? null },
    guards: (providers?.guards ?? []).map(({ name }: ProviderStep) => name),
    public: isPublic,
    class: route,
    ...placeMembers(places(handler)),
    classAt: places(Object.getPrototypeOf(create)),
  }))
}
