/** Pages: the query of a list, in the method and for the client. */
import { createApp, cursor, Route, type Input } from 'verbena'
import { createClient } from 'verbena/client'
import * as z from 'zod'
import { sameType } from './same-type.js'

const plain = cursor(z.object({ id: z.int() }))
const full = cursor(z.object({ at: z.iso.date().transform((text) => new Date(text)) }), {
  limit: 5,
  query: z.object({ tag: z.string().optional(), from: z.int().default(0) }),
})

export class Lists extends Route {
  static readonly get = this.contract({ query: plain.query })
  get({ query, request, response }: Input<typeof Lists.get>) {
    sameType<typeof query, { readonly cursor: { id: number } | undefined; readonly limit: number }>()
    const rows = [{ id: 1, name: 'a' }]
    // @ts-expect-error - a position is what its schema takes
    plain.page(rows, { query, request, response }, ({ name }) => ({ id: name }))
    return plain.page(rows, { query, request, response }, ({ id }) => ({ id }))
  }
  static readonly put = this.contract({ query: full.query })
  put(input: Input<typeof Lists.put>) {
    const { cursor: position, limit, tag, from } = input.query
    sameType<[typeof position, typeof limit], [{ at: Date } | undefined, number]>()
    sameType<[typeof tag, typeof from], [string | undefined, number]>()
    // A cursor requires the input type of its schema, a string here.
    return full.page(['2026-01-01'], input, (at) => ({ at }))
  }
}

// @ts-expect-error - a number of rows
cursor(z.int(), { limit: '5' })
// @ts-expect-error - a misspelt option
cursor(z.int(), { limits: 5 })
// @ts-expect-error - no schema
cursor({ id: 1 })
// @ts-expect-error - a position of another list
plain.write({ at: '2026-01-01' })

const app = createApp({ routes: { Lists } })
export async function call() {
  const api = createClient<typeof app>('http://localhost')
  await api('/lists').get()
  await api('/lists').get({ query: { cursor: plain.write({ id: 1 }), limit: 5 } })
  await api('/lists').put({ query: { tag: 'a', limit: 5 } })
  // @ts-expect-error - clients know a cursor as a text
  await api('/lists').get({ query: { cursor: { id: 1 } } })
  // @ts-expect-error - no such key
  await api('/lists').put({ query: { tags: 'a' } })
}
