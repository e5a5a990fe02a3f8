/** Header changes after the headers are sent. */
import type { Level } from './logger.js'

/** A request as this file sees it; `Call` implements it. */
interface ChangingRequest {
  readonly app: { readonly isStrict: boolean }
  readonly endpoint: { readonly route: string } | null
  readonly label: string
  report(level: Level, fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Endpoints that have already logged a late header change. */
const warned = new WeakSet<object>()
const lateChanges = new WeakMap<object, string>()

/** Returns the name of a header that was set too late; always `undefined` unless the app is strict. */
export function findLateChange(call: object): string | undefined {
  return lateChanges.get(call)
}

/** Throws in strict mode; otherwise logs one warning per endpoint. The headers are already sent, so the change is lost. */
export function changedTooLate(call: ChangingRequest, name: string): void {
  const { app, endpoint, label } = call
  const fix = 'Set it before the first chunk of a stream, and not in "response.after"'
  const error = new Error(`Cannot set the response header "${name}" of ${label}: the headers are already sent. ${fix}`)
  if (app.isStrict) {
    lateChanges.set(call, name)
    throw error
  }
  if (warned.has(endpoint ?? app)) return
  warned.add(endpoint ?? app)
  call.report('warn', { route: endpoint?.route }, error.message)
}
