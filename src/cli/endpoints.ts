/** Endpoints of an app as commands show them. */
import type { ProviderStep } from '../injection/plan.js'
import type { Endpoint } from '../request/endpoint.js'
import type { Registry } from '../setup/register.js'
import { findPlaces, formatPlace, type SourcePlace } from './source-places.js'

/** An endpoint, as `--json` prints it. */
export interface ShownEndpoint {
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
  /** Place of the method; `null` if it is unknown. */
  readonly file: string | null
  readonly line: number | null
  /** Place of the class, which differs from the file of an inherited method. */
  readonly classAt: SourcePlace | null
}

/** Returns the endpoints of the routes in the order of registration, then the built-in endpoints. */
export function listEndpoints({ endpoints, builtIn }: Pick<Registry, 'endpoints' | 'builtIn'>): Endpoint[] {
  return [...endpoints, ...builtIn]
}

export function showEndpoints(endpoints: readonly Endpoint[]): ShownEndpoint[] {
  const places = findPlaces(endpoints.flatMap(({ handler, create }) => [handler, Object.getPrototypeOf(create)]))
  return endpoints.map((endpoint, at) => {
    const { method, path, constraint, providers, isPublic, route } = endpoint
    const [place = null, classAt = null] = places.slice(2 * at)
    const guards = (providers?.guards ?? []).map(({ name }: ProviderStep) => name)
    const [file, line] = [place?.file ?? null, place?.line ?? null]
    return {
      method,
      path,
      version: constraint?.text ?? null,
      guards,
      public: isPublic,
      class: route,
      file,
      line,
      classAt,
    }
  })
}

/** Formats the place of an endpoint's method. */
export function endpointPlace({ file, line }: Pick<ShownEndpoint, 'file' | 'line'>): string {
  return formatPlace(file === null || line === null ? null : { file, line })
}
