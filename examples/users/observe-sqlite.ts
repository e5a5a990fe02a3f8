/** Reports the queries of `better-sqlite3` or `node:sqlite` to the console. */
import { observeCall, startCall, type CallOutcome, type OutgoingCall } from 'verbena'

const observed = new WeakSet<object>()

/** Call it with a connection before its first query. It observes all connections of the library. */
export function observeSqlite(connection: { prepare(sql: string): object; exec(sql: string): unknown }): void {
  const [database, statement] = [connection, connection.prepare('select 1')].map(Object.getPrototypeOf)
  if (observed.has(database)) return
  observed.add(database)
  observe(database, 'exec')
  observe(statement, 'run', (result) => ({ rows: Number(Object(result).changes) }))
  observe(statement, 'get', (row) => ({ rows: row === undefined ? 0 : 1 }))
  observe(statement, 'all', (rows) => ({ rows: Object(rows).length }))
  const { iterate } = statement
  statement.iterate = function (...params: unknown[]) {
    const rows = Object(Reflect.apply(iterate, this, params))
    const call = startCall(describe(this, params))
    if (call === null) return rows
    const next = rows.next.bind(rows)
    // The time ends with the last row that the app reads.
    rows.next = () => [next(), call.end()][0]
    call.end()
    return rows
  }
}

function observe(target: object, name: string, outcome?: (result: unknown) => CallOutcome): void {
  const method = Reflect.get(target, name)
  Reflect.set(target, name, function (this: object, ...args: unknown[]) {
    return observeCall(describe(this, args), () => Reflect.apply(method, this, args), outcome)
  })
}

function describe(self: object, args: unknown[]): OutgoingCall {
  const { source, sourceSQL = source } = Object(self)
  return { kind: 'sql', text: String(sourceSQL ?? args[0]), params: sourceSQL === undefined ? undefined : args.flat() }
}
