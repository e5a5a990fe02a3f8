/** Steps of the response options. The code of an option is loaded by the first request that needs it. */
import type {
  ResponseSettings,
  CompressionOptions,
  CorsOptions,
  SecurityHeaders,
} from '../../route/response-options.js'
import type { Call } from '../../request/call.js'
import type { Step } from '../../request/endpoint.js'
import type { ResponseSteps } from '../../request/step-entry.js'
import type { Cors } from './cors.js'

/** Changes the reply of a request. Must not throw or reject, because the client would get a plain 500. */
type Act = (call: Call) => Promise<void> | undefined

const known = new WeakMap<ResponseSettings, ResponseSteps>()

/** Returns the steps of options; pipelines with the same options share them. */
export function responseSteps(options: ResponseSettings): ResponseSteps {
  const steps = known.get(options) ?? createSteps(options)
  known.set(options, steps)
  return steps
}

function createSteps({ cors, securityHeaders, compression, hasRequestId = false }: ResponseSettings): ResponseSteps {
  const sharing = cors === undefined ? null : loadOnce(() => loadCors(cors))
  const hasCredentials = cors?.credentials === true
  return {
    preflight: sharing && loadedStep(async () => (await sharing()).preflight),
    compression: compression === undefined ? null : loadedStep(() => loadCompression(compression)),
    securityHeaders: securityHeaders === undefined ? null : loadedStep(() => loadHeaders(securityHeaders)),
    crossOrigin: sharing && loadedStep(async () => (await sharing()).respond),
    trustsOrigin: sharing && hasCredentials ? async (call, origin) => (await sharing()).trusts(call, origin) : null,
    hasRequestId,
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
