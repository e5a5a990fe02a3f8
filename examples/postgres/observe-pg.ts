/** Reports the queries of the package `pg` to the console. Results, errors and callbacks stay the same. */
import { AsyncResource } from 'node:async_hooks'
import type pg from 'pg'
import { observeCall, startCall } from 'verbena'

type Method = (...args: unknown[]) => unknown
const isMethod = (value: unknown): value is Method => typeof value === 'function'
const readRows = (result: unknown) => ({ rows: Object(result).rowCount })

/** Call it once, before the first query. */
export function observePg({ Client, Pool }: typeof pg): void {
  wrap(Client.prototype, 'query', (send, args) => observe(send, args, Object(args[0]).callback))
  wrap(Pool.prototype, 'query', observe)
  // Otherwise, a waiting query would run in the request that releases the connection.
  wrap(Pool.prototype, 'connect', (connect, [next]) => connect(isMethod(next) ? AsyncResource.bind(next) : next))
}

function wrap(target: object, name: string, run: (method: Method, args: unknown[]) => unknown): void {
  const method: Method = Reflect.get(target, name)
  Reflect.set(target, name, function (this: unknown, ...args: unknown[]) {
    return run((...changed) => Reflect.apply(method, this, changed), args)
  })
}

function observe(send: Method, args: unknown[], callback?: unknown): unknown {
  const [query, ...rest] = args
  const { text, values, submit } = typeof query === 'string' ? { text: query } : Object(query)
  const [params, next] = [[...rest, values].find(Array.isArray), [...rest, callback].find(isMethod)]
  if (typeof text !== 'string') return send(...args)
  if (!submit && !next) return observeCall({ kind: 'sql', text, params }, () => send(...args), readRows)
  const call = startCall({ kind: 'sql', text, params })
  if (call === null) return send(...args)
  const watch = (target: object, name: string, read: Method) =>
    wrap(target, name, (method, seen) => [read(...seen), method(...seen)][1])
  const bound = { next: next && AsyncResource.bind(next) }
  watch(bound, 'next', (error, result) => (error ? call.fail(error) : call.end(readRows(result))))
  if (submit) watch(Object(query), 'handleError', (error) => call.fail(error))
  if (submit) watch(Object(query), 'handleReadyForQuery', () => call.end())
  return call.run(() => send(...(submit ? args : [query, params, bound.next])))
}
