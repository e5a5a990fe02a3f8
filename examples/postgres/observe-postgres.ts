/** Reports the queries of the package `postgres` to the console, also those of transactions and cursors. */
import type { Sql } from 'postgres'
import { startCall } from 'verbena'

/** Call it once, with any client, before the first query. */
export function observePostgres(sql: Sql): void {
  const prototype = Object.getPrototypeOf(sql``)
  const Identifier = sql('name').constructor
  const Helper = Object.getPrototypeOf(Identifier)
  const isFragment = (part: unknown) => part instanceof prototype.constructor
  const write = (part: unknown, params: unknown[]): string => {
    const { strings, args, value, first } = Object(part)
    if (isFragment(part))
      return strings
        .map((text: string, index: number) => (index > 0 ? write(args[index - 1], params) : '') + text)
        .join('')
    if (Array.isArray(part) && part.some(isFragment)) return part.map((each) => write(each, params)).join(' ')
    if (part instanceof Identifier) return value
    return `$${params.push(part instanceof Helper ? (value ?? first) : part)}`
  }
  const { handle } = prototype
  // The library calls it when the app awaits a query, never for a fragment.
  prototype.handle = function () {
    const params: unknown[] = this.tagged ? [] : [...this.args]
    const text = write(this, params) || 'sql.file'
    const call = this.executed ? null : startCall({ kind: 'sql', text, params, stack: this.origin })
    if (call !== null) watch(this, 'resolve', (result) => call.end({ rows: Object(result).count }))
    if (call !== null) watch(this, 'reject', (error) => call.fail(error))
    return Reflect.apply(handle, this, [])
  }
}

/** A cursor sets the function again for each page. */
function watch(query: object, name: string, read: (value: unknown) => void): void {
  let settle: (value: unknown) => unknown = Reflect.get(query, name)
  const watched = (value: unknown) => [read(value), settle(value)][1]
  Object.defineProperty(query, name, { get: () => watched, set: (next) => (settle = next) })
}
