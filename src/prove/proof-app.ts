/** The app of a proof: a variant in memory whose proof requests end after the guards. */
import type { RunningState } from '../app/running-app.js'
import { RunningApp } from '../app/running-app.js'
import { SetupError } from '../errors/setup-error.js'
import type { Call } from '../request/call.js'
import type { Endpoint } from '../request/endpoint.js'
import { serve } from '../request/pipeline.js'
import { ServiceRecipe } from '../injection/services.js'
import { TEST_ADDRESS, Variant, type TestOptions } from '../testing/variant.js'
import { WebExchange } from '../http/web-exchange.js'
import { noop } from '../values/noop.js'
import type { SetupContext } from '../setup/prepare.js'
import type { ActorApp, SignedActor } from './actors.js'
import { formatHeading, listSurfaceEndpoints, sortKey } from './surface-endpoints.js'
import { byCodeUnit } from './surface-text.js'
import { ProofExchange } from './proof-exchange.js'
import type { Example } from './sample-request.js'
import { SERVICE_OBSERVER } from './service-recorder.js'
import { addStop } from './stop-step.js'

/** Replaced services and providers of a proof, as in `testApp`. */
export type ProofOverrides<S> = Pick<TestOptions<S>, 'services' | 'override'>

/** An endpoint with its name in the file of a proof. */
export interface ProofEndpoint {
  readonly endpoint: Endpoint<Call>
  /** `GET /bookings/{id}`, with its version or its protocol if it has one. */
  readonly label: string
}

/** Everything that the checks of a proof share. */
export interface ProofParts {
  readonly app: Pick<ProofApp<unknown, unknown>, 'call' | 'endpoints' | 'run'>
  readonly preparation: Pick<SetupContext, 'converters' | 'versioning'>
  /** In the order of the columns of the file. */
  readonly actors: readonly SignedActor[]
  readonly examples: Readonly<Record<string, Example>>
}

/** Statuses that say that an actor may not call an endpoint. */
export const DENIED: ReadonlySet<number> = new Set([401, 403, 404])

/** Outcome of a proof request. */
export interface ProofResult {
  readonly call: Call
  readonly exchange: ProofExchange
  readonly response: Response
}

export class ProofApp<R, S> {
  readonly endpoints: readonly ProofEndpoint[]
  readonly variant: Variant<R, S>
  /** State for upgrades, whose router has only their paths. */
  readonly #upgradeState: RunningState

  constructor(app: unknown, overrides: ProofOverrides<S>) {
    refuseStarted(app)
    this.variant = new Variant<R, S>(app, { ...overrides, strict: false })
    const { registry, state } = this.variant.parts
    const places = listSurfaceEndpoints(this.variant.parts).toSorted((one, other) =>
      byCodeUnit(sortKey(one), sortKey(other)),
    )
    this.endpoints = places.map((place) => {
      // Proof: the endpoints of an app have pipelines of calls. Code that only reads endpoints omits the type.
      return { endpoint: place.endpoint as Endpoint<Call>, label: formatHeading(place).replaceAll(/ +/g, ' ') }
    })
    for (const { endpoint } of this.endpoints) addStop(endpoint)
    const router = registry.upgrades?.router ?? state.router
    this.#upgradeState = { ...state, router, fallbacks: null, trailingSlash: 'ignore' }
    state.channel.observer = SERVICE_OBSERVER
  }

  start(): Promise<void> {
    return this.variant.start()
  }

  async close(): Promise<void> {
    await this.variant.close()
  }

  /** The app for actors that sign in. */
  get forActors(): ActorApp<S> {
    return {
      fetch: async (input, init) =>
        this.run(new Request(typeof input === 'string' ? new URL(input, 'http://localhost') : input, init)),
      services: this.variant.app.services,
    }
  }

  /** Sends a request that runs completely. */
  run(request: Request): Promise<Response> {
    const { state } = this.variant.parts
    return new Promise((resolve) => {
      serve(state, new WebExchange(request, resolve, TEST_ADDRESS), state.serviceLog.start)
    })
  }

  /** Sends a proof request to an endpoint. */
  async call({ upgrade }: Endpoint<Call>, request: Request): Promise<ProofResult> {
    const { state } = this.variant.parts
    const used = upgrade === null ? state : this.#upgradeState
    let resolve: (response: Response) => void = noop
    const received = new Promise<Response>((resolved) => (resolve = resolved))
    const exchange = new ProofExchange(request, resolve, TEST_ADDRESS)
    const call = serve(used, exchange, state.serviceLog.start)
    return { call, exchange, response: await received }
  }
}

/** A started app shares its services with requests that are not of the proof. */
function refuseStarted(app: unknown): void {
  const parts = RunningApp.partsOf(app)
  if (parts === undefined) return
  const { options, state } = parts
  const isCreated =
    Object.values(options.services ?? {}).some((value) => value instanceof ServiceRecipe) && state.services.isMade
  if (!isCreated && !RunningApp.hasServer(app)) return
  const fix = 'Pass an app that only "createApp" has seen, and start it in another file'
  throw new SetupError('PROOF_INVALID', `Cannot prove the authorization of the app: it was started. ${fix}`)
}
