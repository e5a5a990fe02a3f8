/** Factories: routes made by generic functions. */
import { createApp, Route, type In, type Input, type Schema } from 'verbena'
import * as z from 'zod'

function byQuery<S extends z.ZodType<{ id: string }, { id: string }>>(
  schema: S,
  find: (id: string) => Promise<z.input<S>>,
) {
  class Crud extends Route {
    static readonly get = this.contract({ query: z.object({ id: z.string() }), returns: schema })
    async get({ query }: { query: { id: string } }) {
      return find(query.id)
    }
  }
  return Crud
}

function byPath<S extends Schema>(schema: S, find: (id: string) => Promise<In<S>>) {
  class Crud extends Route {
    static readonly path = '/{id}'
    static readonly get = this.contract({ returns: schema })
    async get({ params }: Input<typeof Crud.get>) {
      return find(params.id)
    }
  }
  return Crud
}

const Item = z.object({ id: z.string(), n: z.number() })

export class Items extends byQuery(Item, async (id) => ({ id, n: 1 })) {}
export class Others extends byPath(Item, async (id) => ({ id, n: 1 })) {}
// @ts-expect-error - n is a number
export class Wrong extends byPath(Item, async (id) => ({ id, n: 'x' })) {}

createApp({ routes: { Items, Others, '/v1': { Others, OneMore: byPath(Item, async (id) => ({ id, n: 1 })) } } })
