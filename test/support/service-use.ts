/** A use of services in a route; its result is compared with and without the console. */
export interface ServiceUse {
  readonly title: string
  readonly services: Readonly<Record<string, unknown>>
  readonly run: (route: object) => unknown
}

/** Creates new services for each app, because a use may change them. */
export type UseMaker = () => ServiceUse

export function use<Services extends Readonly<Record<string, unknown>>>(
  title: string,
  create: () => Services,
  run: (route: Services, given: Services) => unknown,
): UseMaker {
  return () => {
    const services = create()
    // Proof: a route has its services as properties.
    return { title, services, run: (route) => run(route as Services, services) }
  }
}
