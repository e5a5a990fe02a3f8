/** `mount`: passes all requests below a path to a handler of another library. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { BaseContext, type RequestContext } from '../../context/request-context.js'
import type { Meta } from '../../context/types.js'
import type { Only } from '../../errors/known-keys.js'
import { anyRule, argumentError, checkOptions, integerRule, SWITCH, type Rules } from '../../errors/options.js'
import { isAsyncIterable, openChunks } from '../../http/chunks.js'
import { isWebResponse, type WebResponse } from '../../http/web-response.js'
import type { ProviderInput, Uses, UsesIn } from '../../injection/provide.js'
import type { Call } from '../../request/call.js'
import type { EndpointDecorator } from '../../route/decorator.js'
import { BOUNDS } from '../../route/kinds.js'
import { MountMark } from '../../route/mount-mark.js'
import { notePlace, Route } from '../../route/route.js'
import type { Mount } from '../../route/route-types.js'
import { describeType } from '../../values/describe-type.js'
import { createBody, HandlerRequest, type HandlerBody } from './web-request.js'

startStackAtCaller(mount)

/** Options of `mount`. */
export interface MountOptions {
  /** Providers, by the names of their values in the second argument of the handler. Guards among them run before the handler. */
  readonly uses?: Uses
  /** Maximum size of a request body, in bytes; default: `limits.body` of the app. */
  readonly limit?: number
  /** Accepted media types of request bodies, such as `application/json`; default: all, and bodies without a type. */
  readonly types?: readonly string[]
  /** Time until the handler must have returned a response, in ms; default: `timeouts.handler` of the app, 0 disables it. */
  readonly timeout?: number
  /** Decorators, outermost first. `log`, for example, logs each request. */
  readonly decorators?: readonly EndpointDecorator[]
  /** Marks the handler as public, so that `check()` does not report missing guards. Has no other effect. */
  readonly public?: boolean
  /** Tags, for `app.routes()`. */
  readonly tags?: readonly string[]
  /** Custom data. */
  readonly meta?: Meta
}

/**
 * A handler of the Fetch standard.
 *
 * @param request the request as the client sent it, with its public URL, and its body as a stream
 * @param input values of the providers, `request`, `response`, `signal` and `log`; only with `uses`
 * @returns a web `Response`, also of another library
 */
export type MountHandler<N = {}> =
  N extends Required<Pick<MountOptions, 'uses'>>
    ? (request: Request, input: ProviderInput<N>) => WebResponse | Promise<WebResponse>
    : (request: Request) => WebResponse | Promise<WebResponse>

/**
 * Mounts a handler of another library, such as an authentication library or a GraphQL server. It receives every request to the path of its
 * key in `routes` and to all paths below, with any method, unless a route of the app has the path. Middleware, guards, CORS, compression
 * and security headers apply as to a route. It is not in the OpenAPI document, which lists its path as `x-mounted`.
 *
 * A body that is larger than `limit`, or whose client is too slow, is a 413 or 408, also if the handler catches the error.
 *
 * @param handler takes a web `Request`, and returns a web `Response`
 * @param options providers, limits of the body, and facts for `check()`
 * @returns a value for `routes`, under a path
 * @throws SetupError `OPTION_INVALID`, `USES_INVALID`, `DECORATOR_INVALID`
 *
 * @example
 * ```ts
 * import { createApp } from 'verbena'
 * import { mount } from 'verbena/mount'
 *
 * const handler = async (request: Request) => new Response(`${request.method} ${new URL(request.url).pathname}`)
 * const app = createApp({ routes: { '/api/auth': mount(handler) } })
 *
 * const response = await app.fetch(new Request('http://localhost/api/auth/session/', { method: 'DELETE' }))
 * await response.text() // => 'DELETE /api/auth/session/'
 * ```
 */
export function mount<const N extends MountOptions = {}>(
  handler: MountHandler<N>,
  options?: N & Only<N, MountOptions>,
): Mount<UsesIn<N>> {
  const mountOptions: MountOptions = options ?? {}
  checkOptions(mountOptions, RULES, 'mount()')
  checkHandler(handler, mountOptions)
  const { limit, types, ...said } = mountOptions
  // Proof: the input is built from `uses`, so it has the type that the handler expects.
  const anyHandler = handler as AnyHandler
  const call = { handler: anyHandler, body: createBody(limit, types), hasInput: mountOptions.uses !== undefined }
  class MountRoute extends Route {
    static readonly path = '/{path...}'
    static readonly all = this.contract({ ...said, hidden: true })
    all(input: RequestContext): Promise<WebResponse> {
      return callHandler(input, call)
    }
  }
  notePlace(MountRoute.all['~spec'], mount)
  return new MountMark(MountRoute)
}

/** The contract checks the options that it has too. */
const RULES: Rules<MountOptions> = {
  ...BOUNDS,
  uses: anyRule('{ user }'),
  timeout: integerRule(0, '30_000', ' of ms'),
  decorators: anyRule('[log]'),
  public: SWITCH,
  tags: anyRule("['auth']"),
  meta: anyRule('{ … }'),
}

function checkHandler(handler: unknown, { uses }: MountOptions): void {
  if (typeof handler !== 'function') {
    const fix = 'Write "mount((request) => auth.handler(request))"'
    throw argumentError('mount()', 'handler', `it must be a function, not ${describeType(handler)}. ${fix}`)
  }
  if (handler.length <= (uses === undefined ? 1 : 2)) return
  const state = `it has ${handler.length} parameters, like "(request, response)" handlers of Node`
  const fix = 'Pass those to "app.listen({ otherwise })", or write "mount((request) => handler(request))"'
  throw argumentError('mount()', 'handler', `${state}. ${fix}`)
}

type AnyHandler = (request: Request, input?: object) => unknown

interface HandlerCall {
  readonly handler: AnyHandler
  readonly body: HandlerBody
  readonly hasInput: boolean
}

async function callHandler(input: RequestContext, { handler, body, hasInput }: HandlerCall): Promise<WebResponse> {
  // Proof: every context belongs to a `Call`.
  const call = BaseContext.sourceOf(input) as Call
  const handlerRequest = new HandlerRequest(call, input.signal, body)
  const response = await takeResponse(handlerRequest, () =>
    hasInput ? handler(handlerRequest.request, input) : handler(handlerRequest.request),
  )
  if (isWebResponse(response)) return response
  const where = call.endpoint?.route
  throw new TypeError(`The handler mounted at "${where}" returned ${describeType(response)} instead of a web Response`)
}

/** The handler may turn an error of the body into a response. Then the error is thrown, because it names the cause. */
async function takeResponse(own: HandlerRequest, respond: () => unknown): Promise<unknown> {
  try {
    const response = await respond()
    if (own.bodyError === undefined) return response
    if (isWebResponse(response) && isAsyncIterable(response.body)) openChunks(response.body).cancel()
  } catch (error) {
    if (own.bodyError === undefined) throw error
  }
  throw own.bodyError
}
