/** `request.href`: the parameters of a route follow from its prefix and path. */
import { type } from 'arktype'
import * as v from 'valibot'
import { Route, type Input } from 'verbena'
import * as z from 'zod'

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
const Order = z.object({ id: z.int(), at: z.coerce.date(), kind: z.enum(['a', 'b']).optional() })
export class Orders extends Route {
  static readonly path = '/orders/{id}/{at}/{kind}/{free}'
  static readonly get = this.contract({ params: Order })
  static readonly put = this.contract({ body: Order })
  async get({ request, params }: Input<typeof Orders.get>) {
    return request.href(Orders, { ...params, at: params.at.toISOString(), kind: 'a', free: 7 })
  }
  async put({ request }: Input<typeof Orders.put>) {
    const given = { id: 7, at: '2026-01-01', kind: 'a', free: 'x' } as const
    request.href(Orders, given)
    // @ts-expect-error - the schema takes no text
    request.href(Orders, { ...given, id: '7' })
    // @ts-expect-error - the schema takes two texts
    request.href(Orders, { ...given, kind: 'c' })
    // @ts-expect-error - what may be left out of a value may not be left out of a path
    request.href(Orders, { id: 7, at: 1, free: 'x' })
    // @ts-expect-error - nothing is known of what it takes, so it has to be a text, a number or a boolean
    request.href(Orders, { ...given, at: {} })
  }
}
export class Both extends Route {
  static readonly path = '/both/{id}'
  static readonly get = this.contract({ params: v.object({ id: v.number() }) })
  static readonly post = this.contract({ params: type({ id: "'new'" }) })
  async get({ request }: Input<typeof Both.get>) {
    // @ts-expect-error - neither verb takes it
    request.href(Both, { id: 'old' })
    return [request.href(Both, { id: 1 }), request.href(Both, { id: 'new' })]
  }
  async post() {}
}
export class LoosePath extends Route {
  static path = '/loose/{id}'
}
export class Links extends Route {
  async get({ request }: Input) {
    const all: string[] = [
      request.href(Home, {}),
      request.href(Files, { path: 'a/b' }),
      request.href(ById, { id: 7, org: 'a' }),
      request.href(ById, { id: '1', org: 'a' }, { page: 2, tag: ['a', 'b'], all: true, none: undefined }),
    ]
    // @ts-expect-error - the parameter of the prefix is missing
    request.href(ById, { id: '1' })
    // @ts-expect-error - no parameters at all
    request.href(ById)
    // @ts-expect-error - a misspelt parameter
    request.href(Files, { paht: 'a' })
    // @ts-expect-error - values are texts and numbers
    request.href(Files, { path: true })
    // @ts-expect-error - a path that is not "readonly" has lost its parameters
    request.href(LoosePath, { id: '1' })
    // @ts-expect-error - a query of objects
    request.href(Home, {}, { filter: { a: 1 } })
    // @ts-expect-error - an instance, not a class
    request.href(new Home(), {})
    return all
  }
}
