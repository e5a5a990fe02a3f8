/** An app's life: listening, answering, closing. */
import { setTimeout } from 'node:timers/promises'
import { SetupError } from '../errors/setup-error.js'
import type { Serve } from '../http/node-exchange.js'
import {
  attachServer,
  closeServer,
  makeServer,
  nodeListener,
  openServer,
  type OwnServer,
  type Server,
  type ListenOptions,
  type Listening,
  type NodeListener,
} from '../http/server.js'
import type { ServerSettings } from '../http/settings.js'
import { WebExchange } from '../http/web-exchange.js'
import type { App, EndpointDescription } from './app-types.js'
import { checkListenOptions } from './check-options.js'
import type { Core } from './core.js'
import { serve } from './dispatch.js'
import { findFindings, type Finding } from './findings.js'
import { DEFAULTS, type CommonOptions } from './options.js'
import type { Preparation } from './prepare.js'
import type { Registry } from './register.js'
import { serverSettings } from './settings.js'
import { closeOnSignal, ignoreSignals } from './signals.js'

/** What an app is made of. */
export interface AppParts {
  readonly core: Core
  readonly registry: Registry
  readonly preparation: Preparation
  readonly options: CommonOptions
}

/** An app at run time. */
export class RunningApp<R> implements App<R> {
  readonly name: string
  readonly version: string
  readonly handler: NodeListener
  readonly #parts: AppParts
  readonly #deadline: number
  readonly #settings: ServerSettings
  readonly #serve: Serve
  #server: OwnServer | undefined = undefined
  #opening: Promise<Listening> | undefined = undefined
  #closing: Promise<void> | undefined = undefined

  /** @param parts what it is made of */
  constructor(parts: AppParts) {
    const { options, core } = parts
    this.name = options.name ?? DEFAULTS.name
    this.version = options.version ?? DEFAULTS.version
    this.#parts = parts
    this.#settings = serverSettings(parts.preparation.limits, options.timeouts)
    this.#serve = (exchange) => serve(core, exchange)
    this.handler = nodeListener(this.#serve, this.#settings)
    this.#deadline = options.timeouts?.close ?? DEFAULTS.timeouts.close
  }

  async listen(options: ListenOptions = {}): Promise<Listening> {
    this.#checkState('listen')
    checkListenOptions(options)
    const own = makeServer(this.#serve, this.#settings, options.tls)
    this.#server = own
    try {
      this.#opening = openServer(own, options)
      const listening = await this.#opening
      if (this.#closing === undefined) this.#obeySignals()
      return listening
    } catch (error) {
      this.#server = undefined
      throw error
    }
  }

  attach(server: Server): void {
    this.#checkState('attach to a server')
    this.#server = attachServer(server, this.#serve, this.#settings)
    this.#obeySignals()
  }

  #checkState(act: string): void {
    if (this.#closing !== undefined) throw stateError(act, 'the app is closed. Make a new one')
    if (this.#server !== undefined) throw stateError(act, 'the app has a server. Close it first, or make a second app')
  }

  #obeySignals(): void {
    if (this.#parts.options.signals ?? DEFAULTS.signals) closeOnSignal(this)
  }

  fetch(request: Request): Promise<Response> {
    return new Promise((resolve) => serve(this.#parts.core, new WebExchange(request, resolve)))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  routes(): EndpointDescription[] {
    return this.#parts.registry.endpoints.map(({ route, verb, method, path, tags, contract }) => {
      return { route, verb, method, path, tags: [...tags], contract }
    })
  }

  check(): Finding[] {
    return findFindings(this.#parts.registry.endpoints, this.#parts.preparation.converters)
  }

  async #close(): Promise<void> {
    ignoreSignals(this)
    const { work, logger, openStreams } = this.#parts.core
    openStreams.end()
    const done = Promise.all([this.#closeServer(), work.idle()])
    if (await withinDeadline(done, this.#deadline)) return
    logger.warn({ running: work.running, deadline: this.#deadline }, 'Closed before all work was done')
  }

  /** A port that is only just opening must not stay open. */
  async #closeServer(): Promise<void> {
    await this.#opening?.catch(ignore)
    if (this.#server !== undefined) await closeServer(this.#server, this.#deadline)
  }
}

function ignore(): void {}

function stateError(act: string, why: string): SetupError {
  return new SetupError('APP_STATE', `Cannot ${act}: ${why}`)
}

/** Whether it was done in time. */
async function withinDeadline(done: Promise<unknown>, deadline: number): Promise<boolean> {
  const { promise: late, cancel } = timeOut(deadline)
  const inTime = await Promise.race([done.then(() => true), late])
  cancel()
  return inTime
}

function timeOut(deadline: number): { promise: Promise<false>; cancel(): void } {
  const controller = new AbortController()
  const promise = setTimeout(deadline, false as const, { signal: controller.signal })
  return { promise: promise.catch(() => false as const), cancel: () => controller.abort() }
}
