/** Reports the queries of the package `pg` to the console. Results, errors and callbacks stay the same. */
import { AsyncResource } from 'node:async_hooks'
import type pg from 'pg'
import { startCall } from 'verbena'

type Read = (error?: unknown, result?: { readonly rowCount?: number | null }) => void
type Query = { readonly text?: unknown; readonly values?: unknown[]; readonly submit?: unknown } | string | null

/** Call it once, before the first query. */
export function observePg({ Client, Pool }: typeof pg): void {
  observeQueries(Client.prototype, (client) => client)
  // Otherwise, a waiting query would run in the request that releases its client.
  const bind = (pool: pg.Pool) => (next: () => void) => pool.connect(AsyncResource.bind(next))
  observeQueries(Pool.prototype, (pool) => Object.create(pool, { connect: { value: bind(pool) } }))
}

function observeQueries<T extends object>(prototype: T, prepare: (self: T) => object): void {
  const send: (...args: unknown[]) => unknown = Reflect.get(Object(prototype), 'query')
  Reflect.set(prototype, 'query', function (this: T, query: Query, ...rest: unknown[]) {
    const { text, values, submit } = typeof query === 'string' ? { text: query } : (query ?? {})
    const params = rest.find(Array.isArray) ?? values
    const call = typeof text === 'string' ? startCall({ kind: 'sql', text, params }) : null
    if (call === null) return Reflect.apply(send, this, [query, ...rest])
    const end: Read = (error, result) => (error ? call.fail(error) : call.end({ rows: result?.rowCount }))
    // The client reports the end of a cursor to these methods.
    const ends = Object(submit ? query : {})
    if (submit) ends.handleError = watch(ends.handleError, end)
    if (submit) ends.handleReadyForQuery = watch(ends.handleReadyForQuery, () => end())
    const args = [query, ...rest.map((next) => watch(next, end))]
    const result = call.run(() => Reflect.apply(send, prepare(this), args))
    if (!(result instanceof Promise)) return result
    // Returns the second promise: Node reports its unhandled rejection like that of the first.
    return result.then(
      (rows) => {
        end(null, rows)
        return rows
      },
      (error) => {
        end(error)
        throw error
      },
    )
  })
}

function watch(next: unknown, read: Read): unknown {
  const watched = function (this: unknown, ...args: Parameters<Read>): unknown {
    read(...args)
    return Reflect.apply(Object(next), this, args)
  }
  return typeof next === 'function' ? watched : next
}
