/** Steps of the response options. The code of an option is loaded by the first request that needs it. */
import type { ResponseSettings, CompressionOptions, CorsOptions, SecurityHeaders } from '../route/answer-options.js'
import type { Call } from './call.js'
import type { Cors } from './cors.js'
import type { Endpoint, Step } from './endpoint.js'

/** Changes the reply of a request. Must not throw or reject, because the client would get a plain 500. */
type Act = (call: Call) => Promise<void> | undefined

/** `null` for options that are not set. */
export interface AnswerSteps {
  readonly preflight: Step<Call> | null
  readonly compression: Step<Call> | null
  readonly securityHeaders: Step<Call> | null
  readonly crossOrigin: Step<Call> | null
  /** Returns whether pages of an origin may act for their users. */
  readonly trustsOrigin: Endpoint<Call>['trustsOrigin']
}

const known = new WeakMap<ResponseSettings, AnswerSteps>()

/** Returns the steps of options; pipelines with the same options share them. */
export function answerSteps(options: ResponseSettings): AnswerSteps {
  const steps = known.get(options) ?? makeSteps(options)
  known.set(options, steps)
  return steps
}

function makeSteps({ cors, securityHeaders, compression }: ResponseSettings): AnswerSteps {
  const sharing = cors === undefined ? null : loadOnce(() => loadCors(cors))
  const hasCredentials = cors?.credentials === true
  return {
    preflight: sharing && loadedStep(async () => (await sharing()).preflight),
    compression: compression === undefined ? null : loadedStep(() => loadCompression(compression)),
    securityHeaders: securityHeaders === undefined ? null : loadedStep(() => loadHeaders(securityHeaders)),
    crossOrigin: sharing && loadedStep(async () => (await sharing()).answer),
    trustsOrigin: sharing && hasCredentials ? async (call, origin) => (await sharing()).trusts(call, origin) : null,
  }
}

function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null
  return () => (loading ??= load())
}

async function loadCors(options: CorsOptions): Promise<Cors> {
  /* c8 ignore next -- the test runner adds a branch around an import */
  const { Cors } = await import('./cors.js')
  return new Cors(options)
}

async function loadCompression(options: CompressionOptions): Promise<Act> {
  /* c8 ignore next -- as above */
  const { compression } = await import('./compress.js')
  return compression(options)
}

async function loadHeaders(options: SecurityHeaders): Promise<Act> {
  /* c8 ignore next -- as above */
  const { securityHeaders } = await import('./security-headers.js')
  return securityHeaders(options)
}

function loadedStep(load: () => Promise<Act>): Step<Call> {
  let act: Act | null = null
  return (call) => {
    if (act !== null) return act(call)
    return load().then((loaded) => {
      act = loaded
      return loaded(call)
    })
  }
}
