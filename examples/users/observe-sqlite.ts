/** Reports the queries of `better-sqlite3` or `node:sqlite` to the console, also those of tagged templates. */
import { startCall } from 'verbena'

/** Call it with a connection before its first query. It observes all connections of the library. */
export function observeSqlite(connection: { prepare(sql: string): object }): void {
  for (const target of [connection, connection.prepare('select 1')]) observe(Object.getPrototypeOf(target))
}

function observe(target: object): object {
  for (const name of ['exec', 'run', 'get', 'all', 'iterate', 'createTagStore']) {
    const method = Reflect.get(target, name)
    if (typeof method !== 'function' || method.name === 'observed') continue
    Reflect.set(target, name, function observed(this: object, ...args: unknown[]) {
      const send = () => Reflect.apply(method, this, args)
      if (name === 'createTagStore') return observe(Object(send()))
      const { source, sourceSQL = source } = Object(this)
      const [text, ...params] = sourceSQL === undefined ? args : [sourceSQL, ...args.flat()]
      const call = startCall({ kind: 'sql', text: [text].flat().join('?'), params })
      if (call === null) return send()
      const watch = (read: () => unknown) => {
        try {
          const result = read()
          const { changes, length } = Object(result)
          const rows = { run: Number(changes), get: Number(result !== undefined), all: length }
          return [result, call.end({ rows: Reflect.get(rows, name) })][0]
        } catch (error) {
          throw [error, call.fail(error)][0]
        }
      }
      const result = watch(send)
      const rows = Object(result)
      // The time ends with the last row that the app reads.
      if (name === 'iterate') rows.next = watch.bind(null, rows.next.bind(rows))
      return result
    })
  }
  return target
}
