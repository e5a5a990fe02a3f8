/** `upgrade`: hands the connection of a request to another protocol, after the guards of its path. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import type { Duplex } from 'node:stream'
import type { RequestContext } from '../../context/request-context.js'
import type { Meta } from '../../context/types.js'
import type { Only } from '../../errors/known-keys.js'
import {
  anyRule,
  checkArgument,
  checkOptions,
  functionRule,
  optionError,
  stringRule,
  SWITCH,
  textRule,
  type Rules,
} from '../../errors/options.js'
import { isToken } from '../../http/fields.js'
import type { UpgradeRequest } from '../../http/upgrade-exchange.js'
import { SOURCE_RULES, type ProviderInput, type TextSources, type Uses, type UsesIn } from '../../injection/provide.js'
import { checkOrigins, type CorsOptions } from '../../route/response-options.js'
import type { EndpointDecorator } from '../../route/decorator.js'
import { notePlace, Route } from '../../route/route.js'
import type { Upgrade } from '../../route/route-types.js'
import { UpgradeMark } from '../../route/upgrade-mark.js'
import type { ParamsOf } from '../../router/template.js'
import { isRecord } from '../../values/objects.js'
import { handOver } from './hand-over.js'
import { originGuard } from './origins.js'
import { takeUpgrades } from './take-upgrades.js'

startStackAtCaller(upgrade)

/** Options of `upgrade`. */
export interface UpgradeNeeds extends TextSources {
  /** Path template, appended to the path of its key in `routes`; its parameters are typed. */
  readonly path?: string
  /** Providers, by the names of their values in the handler's input. */
  readonly uses?: Uses
  /** Other origins whose pages may connect, in the format of `cors.origins`. Credentialed `cors.origins` of app and groups always may. */
  readonly origins?: CorsOptions['origins']
  /** Protocol that clients request in `Upgrade`; default `websocket`. */
  readonly protocol?: string
  /** Decorators, outermost first. `log`, for example, logs its line when the connection has ended. */
  readonly decorators?: readonly EndpointDecorator[]
  /** Marks an upgrade as public, so that `check()` does not report missing guards. Has no other effect. */
  readonly public?: boolean
  /** Tags, for `app.routes()`. */
  readonly tags?: readonly string[]
  /** Custom data. */
  readonly meta?: Meta
}

type UpgradeParams<N> = 'params' extends keyof N
  ? unknown
  : { readonly params: N extends { readonly path: infer Path } ? ParamsOf<Path> : Readonly<Record<string, string>> }

/**
 * First argument of the handler: `params`, the validated sources, the values of the providers, and `request`, `response`, `signal` and
 * `log`. `signal` is aborted when the connection ends, and before `app.close()` ends it.
 *
 * @example
 * ```ts
 * import type { UpgradeInput } from 'verbena/upgrade'
 *
 * function roomOf({ params }: UpgradeInput<{ path: '/rooms/{room}' }>): string {
 *   return params.room.toLowerCase()
 * }
 * roomOf.length // => 1
 * ```
 */
export type UpgradeInput<N = {}> = ProviderInput<N> & UpgradeParams<N>

/**
 * Takes over a connection. It must write a response, directly or with a library, before it returns or its promise settles.
 *
 * @param input validated sources and values of providers, as in a method
 * @param socket Node's socket of the connection, which has not been read yet
 * @param head bytes that the client has already sent after its request headers; usually empty
 * @param request Node's request, for libraries that implement the protocol
 */
export type UpgradeHandler<N = {}> = (
  input: UpgradeInput<N>,
  socket: Duplex,
  head: Buffer,
  request: UpgradeRequest,
) => unknown

/**
 * Creates an upgrade (RFC 9110 section 7.8). If a request for its protocol passes the guards and schemas, the handler receives the
 * connection. Other requests to the path get the response of the class with the same path, or 426.
 *
 * Browsers let pages of any origin connect. So a request with `Origin` must come from this host, from one of the credentialed
 * `cors.origins`, or from one of `origins`. Otherwise, it gets 403.
 *
 * @param needs providers, schemas, protocol and allowed origins
 * @param handler receives its input, the socket, the bytes after the request headers, and Node's request
 * @returns a value for `routes`, under a path or a name
 * @throws SetupError `OPTION_INVALID`, `SCHEMA_INVALID`, `USES_INVALID`, `DECORATOR_INVALID`
 *
 * @example
 * ```ts
 * import { once } from 'node:events'
 * import { request } from 'node:http'
 * import { createApp } from 'verbena'
 * import { upgrade } from 'verbena/upgrade'
 *
 * const shout = upgrade({ path: '/{name}', protocol: 'shout' }, ({ params }, socket) => {
 *   socket.end(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: shout\r\nConnection: Upgrade\r\n\r\n${params.name.toUpperCase()}!`)
 * })
 * await using app = createApp({ routes: { '/shout': shout }, logger: false })
 * const { port } = await app.listen()
 *
 * const asking = request({ port, path: '/shout/ada', headers: { connection: 'Upgrade', upgrade: 'shout' } }).end()
 * const [, socket, head] = await once(asking, 'upgrade')
 * socket.destroy()
 * String(head) // => 'ADA!'
 * ```
 */
export function upgrade<const N extends UpgradeNeeds>(
  needs: N & Only<N, UpgradeNeeds>,
  handler: UpgradeHandler<N>,
): Upgrade<UsesIn<N>> {
  const ofBody = isRecord(needs) ? ['body', 'rawBody'].find((key) => key in needs) : undefined
  if (ofBody !== undefined) throw optionError('upgrade()', ofBody, 'an upgrade request has no body. Remove the option')
  checkOptions(needs, RULES, 'upgrade()')
  checkArgument(handler, functionRule('upgrade({ … }, (input, socket, head) => …)'), 'handler', 'upgrade()')
  const { origins, protocol = 'websocket', path, ...said }: UpgradeNeeds = needs
  if (origins !== undefined) checkOrigins({ origins }, '', 'upgrade()')
  class UpgradeRoute extends Route {
    static readonly path = path
    static readonly get = this.contract({ ...said, hidden: true })
    get(input: RequestContext): unknown {
      // Proof: the input is created from the contract, which has the same sources and providers as the needs.
      return handOver(input, (...taken) => handler(input as unknown as UpgradeInput<N>, ...taken))
    }
  }
  notePlace(UpgradeRoute.get['~spec'], upgrade)
  return new UpgradeMark(UpgradeRoute, protocol.toLowerCase(), [originGuard(origins)], takeUpgrades)
}

/** The contract checks the options that it has too. */
const RULES: Rules<UpgradeNeeds> = {
  path: stringRule("'/rooms/{room}'"),
  ...SOURCE_RULES,
  uses: anyRule('{ user }'),
  origins: anyRule("['https://app.example']"),
  protocol: textRule(isToken, 'be an HTTP token', "'websocket'"),
  decorators: anyRule('[log]'),
  public: SWITCH,
  tags: anyRule("['rooms']"),
  meta: anyRule('{ … }'),
}
