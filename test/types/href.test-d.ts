/** `request.href`: the parameters of a route follow from its prefix and path. */
import { Route, type Input } from 'verbena'

export class ById extends Route {
  static readonly prefix = '/orgs/{org}'
  static readonly path = '/notes/{id}'
  async get({ request }: Input) {
    return request.href(ById, { org: 'a', id: '1' })
  }
}
export class Home extends Route {}
export class Files extends Route {
  static readonly path = '/files/{path...}'
}
export class Links extends Route {
  async get({ request }: Input) {
    const all: string[] = [
      request.href(Home, {}),
      request.href(Files, { path: 'a/b' }),
      request.href(ById, { id: '1', org: 'a' }, { page: 2, tag: ['a', 'b'], all: true, none: undefined }),
    ]
    // @ts-expect-error - the parameter of the prefix is missing
    request.href(ById, { id: '1' })
    // @ts-expect-error - no parameters at all
    request.href(ById)
    // @ts-expect-error - a misspelt parameter
    request.href(Files, { paht: 'a' })
    // @ts-expect-error - values are texts
    request.href(Files, { path: 1 })
    // @ts-expect-error - a query of objects
    request.href(Home, {}, { filter: { a: 1 } })
    // @ts-expect-error - an instance, not a class
    request.href(new Home(), {})
    return all
  }
}
