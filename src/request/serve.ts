/** Serving: a request comes from the socket, or through `fetch`, and goes its way. */
import type { Exchange } from '../http/exchange.js'
import type { AppState } from './app-state.js'
import { Call } from './call.js'
import { observe } from './observed.js'
import { fail, LOCATING_WAY, proceed } from './way.js'

/** Answers one request. */
export function serve(app: AppState<Call>, exchange: Exchange, begin: (call: Call) => void = proceed): Call {
  app.work.begin()
  const call = new Call(exchange, app, LOCATING_WAY)
  if (app.channel.isActive) observe(call)
  if (call.observer === null) begin(call)
  else call.observer.run(() => begin(call))
  return call
}

/** Refuses a request before it is located; middleware of the app still runs. */
export function refuse(app: AppState<Call>, exchange: Exchange, error: unknown): void {
  serve(app, exchange, (call) => fail(call, error))
}
