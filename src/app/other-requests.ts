/** Option `otherwise` of `listen`: requests that the app does not take go to a handler with the API of `node:http`. */
import type { Duplex } from 'node:stream'
import { frameworkError } from '../errors/http-error.js'
import type { OpenStreams } from '../http/event-stream.js'
import { guarded } from '../http/guarded.js'
import type { NodeExchange, Serve } from '../http/node-exchange.js'
import type { OtherHandler, RequestHandler } from '../http/other-handler.js'
import type { OwnServer } from '../http/server.js'
import { TIME_TO_TAKE, UpgradeExchange, type UpgradeRequest } from '../http/upgrade-exchange.js'
import type { AppState } from '../request/app-state.js'
import type { Call } from '../request/call.js'
import { rejectRequest } from '../request/pipeline.js'
import { isForApp } from './has-path.js'

const FAILED = 'Handler of "otherwise" failed'

/** Passes on the requests and upgrades of one server. */
export class OtherRequests {
  readonly #state: AppState<Call>
  readonly #handler: OtherHandler

  constructor(state: AppState<Call>, option: RequestHandler | OtherHandler) {
    this.#state = state
    this.#handler = typeof option === 'function' ? { request: option } : option
  }

  /** Whether an upgrade goes to the handler. Some clients offer HTTP/2 in each request, which is not an upgrade for it. */
  takesUpgrade({ url = '', headers }: UpgradeRequest): boolean {
    return (
      this.#handler.upgrade !== undefined && headers.upgrade?.toLowerCase() !== 'h2c' && !isForApp(this.#state, url)
    )
  }

  /**
   * Makes a server pass on upgrades.
   *
   * @param isTaken whether the app has upgrades, so that the server already passes on the others
   */
  async takeUpgrades(own: OwnServer, isTaken: boolean): Promise<void> {
    if (isTaken || this.#handler.upgrade === undefined) return
    /* c8 ignore next -- the test runner adds a branch around an import */
    const { serveUpgrades } = await import('../http/upgrades.js')
    serveUpgrades(
      own,
      (request) => this.takesUpgrade(request),
      (exchange) => this.#serve(exchange),
    )
  }

  /** Returns a function that passes on other requests, and serves all requests of the app. */
  around(serve: Serve): Serve {
    return (exchange) => {
      // The app rejects malformed requests.
      if (exchange.fault !== undefined || isForApp(this.#state, exchange.url)) serve(exchange)
      else this.#serve(exchange)
    }
  }

  #serve(exchange: NodeExchange): void {
    if (exchange instanceof UpgradeExchange) void this.#passUpgrade(exchange)
    else void this.#pass(exchange)
  }

  async #pass(exchange: NodeExchange): Promise<void> {
    const { request, response, expectation } = exchange
    try {
      if (expectation === 'continue') response.writeContinue()
      this.#announceEnd(exchange)
      await this.#handler.request(request, response)
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  /** Makes responses that begin after the app has started to close announce the end of their connection. */
  #announceEnd({ response, connection }: NodeExchange): void {
    const { openStreams } = this.#state
    const announce = (): void => void (response.shouldKeepAlive = false)
    openStreams.add(announce)
    response.once('close', () => {
      openStreams.delete(announce)
      connection.release(response)
    })
  }

  #fail(exchange: NodeExchange, error: unknown): void {
    const { response, connection } = exchange
    if (!response.headersSent && !response.destroyed) return rejectRequest(this.#state, exchange, error)
    connection.state.settings.report(error, FAILED)
    if (!response.writableEnded) connection.cut()
  }

  async #passUpgrade(exchange: UpgradeExchange): Promise<void> {
    const { socket, rest, request, connection } = exchange
    const { report } = connection.state.settings
    endWithApp(exchange, this.#state.openStreams)
    exchange.handOver()
    const before = countSocketListeners(socket)
    try {
      await this.#handler.upgrade?.(request, socket, rest)
    } catch (error) {
      if (!exchange.hasResponded) return rejectRequest(this.#state, exchange, error)
      report(error, FAILED)
      return void socket.destroy()
    }
    // A proxy only listens for the end of the socket until its upstream responds.
    const check = (): void => {
      const isTaken = countSocketListeners(socket) > before || exchange.hasResponded
      if (!isTaken) rejectRequest(this.#state, exchange, frameworkError(404))
    }
    setTimeout(() => guarded(socket, report, check), TIME_TO_TAKE).unref()
  }
}

/** Ends the connection when the app closes. */
function endWithApp({ socket, connection }: UpgradeExchange, openStreams: OpenStreams): void {
  const end = (): void => guarded(socket, connection.state.settings.report, () => socket.end())
  socket.once('close', () => openStreams.delete(end))
  openStreams.add(end)
}

function countSocketListeners(socket: Duplex): number {
  return socket.eventNames().reduce((count, name) => count + socket.listenerCount(name), 0)
}
