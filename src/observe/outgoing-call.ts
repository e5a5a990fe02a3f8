/**
 * Database queries and requests to other servers, for the console. Adapters of database libraries report them. Without a console,
 * nothing is recorded and no object is created.
 */
import { isObjectOrFunction } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'
import type { OpenServiceCall } from './request-recorder.js'
import { ServiceViews } from './service-view.js'

/** A query or another outgoing call. */
export interface OutgoingCall {
  /** `sql`, `http`, `redis`, `mongodb`, or another word in lower case. */
  readonly kind: string
  /** The statement, `GET https://example.com/users`, or the command. The console hides secrets in it. */
  readonly text: string
  /** Values of `$1` and `?` in the text, in order. The console hides secrets in them. */
  readonly params?: readonly unknown[] | undefined
  /** Name of the database, collection or server. */
  readonly target?: string | undefined
  /** Stack of the code that created the query, for libraries that send it later. Default: the current stack. */
  readonly stack?: string | undefined
}

/** Facts about a call that are known at its end. */
export interface CallOutcome {
  /** Number of returned or changed rows. */
  readonly rows?: number | null | undefined
  /** Status of an HTTP response. */
  readonly status?: number | undefined
}

/** A call in progress. */
export interface StartedCall {
  /**
   * Runs a function and returns its result. Calls with the same text that start in it are not recorded again, such as the call of a
   * client below its pool.
   */
  run<T>(next: () => T): T
  /** Records the end. If it is called again, as for a streamed response, the last time counts. */
  end(outcome?: CallOutcome): void
  /** Records the end with an error. */
  fail(error: unknown): void
}

/** Receives the calls of all requests, and returns `null` for a call that it does not record. */
export interface OutgoingObserver {
  /** `isAdapter` is `false` for calls that the channel of a library reports. */
  start(call: OutgoingCall, isAdapter: boolean): StartedCall | null
  /** Records a call of a value that `observed` returned. */
  called(name: string, args: readonly unknown[], method?: object): OpenServiceCall | null
}

const observers = new Set<OutgoingObserver>()

/** Adds an observer. Returns a function that removes it. */
export function observeOutgoing(observer: OutgoingObserver): () => void {
  observers.add(observer)
  return () => void observers.delete(observer)
}

/**
 * Reports a query or another outgoing call to the console, for adapters of libraries with callbacks.
 *
 * @param call The call
 * @returns the started call, or `null` if it is not recorded: without a console, outside of a request, and in a flood of requests
 *
 * @example
 * ```ts
 * import { startCall } from 'verbena'
 *
 * const call = startCall({ kind: 'sql', text: 'select * from users where id = $1', params: [7], target: 'shop' })
 * call?.end({ rows: 1 })
 * ```
 */
export function startCall(call: OutgoingCall): StartedCall | null {
  return startOutgoing(call, true)
}

/** The same for a call that the channel of a library reports. */
export function startOutgoing(call: OutgoingCall, isAdapter: boolean): StartedCall | null {
  for (const observer of observers) {
    const started = observer.start(call, isAdapter)
    if (started !== null) return started
  }
  return null
}

/**
 * Runs a query and reports it to the console with its duration, its rows and its error. Without a console, it only calls `run`.
 *
 * @param call The query
 * @param run Sends the query
 * @param outcome Reads the number of rows from the result
 * @returns the result of `run`, or a promise of it
 * @throws The error of `run`
 *
 * @example
 * ```ts
 * import { observeCall } from 'verbena'
 *
 * const text = 'select name from users'
 * const rows = await observeCall({ kind: 'sql', text }, async () => [{ name: 'Ada' }], (users) => ({ rows: users.length }))
 * rows // => [{ name: 'Ada' }]
 * ```
 */
export function observeCall<T>(call: OutgoingCall, run: () => T, outcome?: (result: Awaited<T>) => CallOutcome): T {
  const started = startCall(call)
  if (started === null) return run()
  const end = (result: Awaited<T>): Awaited<T> => {
    started.end(valueOr(() => outcome?.(result), undefined))
    return result
  }
  const fail = (error: unknown): never => {
    started.fail(error)
    throw error
  }
  let result: T
  try {
    result = started.run(run)
  } catch (error) {
    return fail(error)
  }
  // Proof: the promise has the result of `run`, and `T` is the type of a promise then.
  if (result instanceof Promise) return result.then(end, fail) as T
  // Proof: a value that is not a promise is its own awaited value.
  return end(result as Awaited<T>)
}

/**
 * Returns a view of a value whose method calls the console shows like service calls, such as a transaction of a provider. The view works
 * like a service in a method: its methods run on the value itself.
 *
 * @param name Name of the value in the console, such as `tx`
 * @param value the value, such as a transaction
 * @returns the view; without a console, the value
 *
 * @example
 * ```ts
 * import { observed, provide } from 'verbena'
 *
 * const transaction = provide({}, () => observed('tx', { query: async (text: string) => [text] }))
 * ```
 */
export function observed<T>(name: string, value: T): T {
  if (observers.size === 0 || !isObjectOrFunction(value)) return value
  // Proof: a view has the type of its value.
  return new ServiceViews({ [name]: value }, { called: calledOutside }).view(value) as T
}

function calledOutside(name: string, args: readonly unknown[], method?: object): OpenServiceCall | null {
  for (const observer of observers) {
    const open = observer.called(name, args, method)
    if (open !== null) return open
  }
  return null
}
