/** Steps that carry out what options say of every answer. The code of each is loaded by the first request that takes it. */
import type { ResponseSettings, CompressionOptions, CorsOptions, SecurityHeaders } from '../route/answer-options.js'
import type { Call } from './call.js'
import type { Cors } from './cors.js'
import type { Endpoint, Step } from './endpoint.js'

/** Changes the reply of a call. Never throws, nor does its promise reject: behind these steps nobody would answer. */
type Act = (call: Call) => Promise<void> | undefined

/** The steps of a part of an app; `null` for what it does not ask for. */
export interface AnswerSteps {
  /** Answers the question of a browser whether a page may ask. */
  readonly preflight: Step<Call> | null
  readonly compression: Step<Call> | null
  readonly securityHeaders: Step<Call> | null
  /** Says whose pages may read the answer. */
  readonly crossOrigin: Step<Call> | null
  /** Tells whether pages of an origin may act for their users. */
  readonly trustsOrigin: Endpoint<Call>['trustsOrigin']
}

const known = new WeakMap<ResponseSettings, AnswerSteps>()

/** The steps that options ask for, made once for all ways that share them. */
export function answerSteps(options: ResponseSettings): AnswerSteps {
  const steps = known.get(options) ?? makeSteps(options)
  known.set(options, steps)
  return steps
}

function makeSteps({ cors, securityHeaders, compression }: ResponseSettings): AnswerSteps {
  const sharing = cors === undefined ? null : once(() => loadCors(cors))
  const hasCredentials = cors?.credentials === true
  return {
    preflight: sharing && loadedStep(async () => (await sharing()).preflight),
    compression: compression === undefined ? null : loadedStep(() => loadCompression(compression)),
    securityHeaders: securityHeaders === undefined ? null : loadedStep(() => loadHeaders(securityHeaders)),
    crossOrigin: sharing && loadedStep(async () => (await sharing()).answer),
    trustsOrigin: sharing && hasCredentials ? async (call, origin) => (await sharing()).trusts(call, origin) : null,
  }
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null
  return () => (loading ??= load())
}

async function loadCors(options: CorsOptions): Promise<Cors> {
  /* c8 ignore next -- what runs the tests writes a branch of its own around an import */
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
