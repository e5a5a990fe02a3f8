/** `upgrade`: hands the connection of a request over to another protocol, behind the guards of its path. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import type { Duplex } from 'node:stream'
import type { RequestContext } from '../../context/request-context.js'
import type { Meta } from '../../context/types.js'
import { ANYTHING, checkMembers, rule, type Only, type Rules } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'
import { isToken } from '../../http/fields.js'
import type { UpgradeRequest } from '../../http/upgrade-exchange.js'
import type { ProviderInput, TextSources, Uses, UsesIn } from '../../injection/provide.js'
import { checkCors, type CorsOptions } from '../../route/answer-options.js'
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

/** What an upgrade needs of its request, and what is said of it. */
export interface UpgradeNeeds extends TextSources {
  /** Path template behind that of its key; its parameters are typed. */
  readonly path?: string
  /** Providers by the names under which the handler gets their values. */
  readonly uses?: Uses
  /** Pages of which other origins may connect, beside the credentialed `cors.origins` of app and groups; written as these are. */
  readonly origins?: CorsOptions['origins']
  /** The protocol that clients have to ask for in `Upgrade`; `websocket` unless given. */
  readonly protocol?: string
  /** Decorators, outermost first, such as `log`: the line is written when the connection has ended. */
  readonly decorators?: readonly EndpointDecorator[]
  /** Says that nobody has to say who they are; it changes what `check()` reports, and nothing else. */
  readonly public?: boolean
  /** Tags, for `app.routes()`. */
  readonly tags?: readonly string[]
  /** The author's own data. */
  readonly meta?: Meta
}

type UpgradeParams<N> = 'params' extends keyof N
  ? unknown
  : { readonly params: N extends { readonly path: infer Path } ? ParamsOf<Path> : Readonly<Record<string, string>> }

/**
 * What the handler of an upgrade gets first: the sources that its needs name, validated; `params`; the values of the providers that it
 * uses; and `request`, `response`, `signal`, `log`. `signal` is aborted when the connection ends, and before `app.close()` ends it.
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
 * Takes over a connection. It must have answered, or given the socket to what answers, when it returns or its promise settles.
 *
 * @param input what its needs name, as the method of a class gets it
 * @param socket of the connection, as Node has it: not read from yet
 * @param head what the client has sent behind its request already; mostly empty
 * @param request as Node has it, for a library that speaks the protocol
 */
export type UpgradeHandler<N = {}> = (
  input: UpgradeInput<N>,
  socket: Duplex,
  head: Buffer,
  request: UpgradeRequest,
) => unknown

/**
 * Makes an upgrade (RFC 9110 section 7.8): requests that ask for a protocol at its path have their connection handed over, once
 * guards and schemas have let them pass. All other requests are answered by the class with the same path, or by 426.
 *
 * Browsers let pages of every origin connect. So a request with `Origin` must come from this host, from one of the credentialed
 * `cors.origins`, or from one of `origins`; else it gets a 403.
 *
 * @param needs providers, schemas of what it reads, and which protocol and origins it takes
 * @param handler gets what it needs, the socket, what was read behind the head, and the request of Node
 * @returns a value for `routes`, under a path or a name
 * @throws SetupError `UPGRADE_INVALID`, `SCHEMA_INVALID`, `USES_INVALID`, `DECORATOR_INVALID`
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
  const untrusted: unknown = needs
  if (!isRecord(untrusted))
    throw upgradeError('its needs are no record. Write "upgrade({ … }, (input, socket, head) => …)"')
  const ofBody = ['body', 'rawBody'].find((key) => key in untrusted)
  if (ofBody !== undefined) throw upgradeError(`a request for an upgrade has no body. Leave "${ofBody}" out`)
  checkMembers(untrusted, RULES, upgradeError, 'Needs have')
  if (typeof handler !== 'function') {
    throw upgradeError('its second argument is not a function. Write "upgrade({ … }, (input, socket, head) => …)"')
  }
  const { origins, protocol = 'websocket', path, ...said }: UpgradeNeeds = needs
  if (origins !== undefined) checkCors({ origins }, upgradeError)
  class UpgradeRoute extends Route {
    static readonly path = path
    static readonly get = this.contract({ ...said, hidden: true })
    get(input: RequestContext): unknown {
      // Proof: the needs are those of the contract, of which the input is made.
      return handOver(input, (...taken) => handler(input as unknown as UpgradeInput<N>, ...taken))
    }
  }
  notePlace(UpgradeRoute.get['~spec'], upgrade)
  return new UpgradeMark(UpgradeRoute, protocol.toLowerCase(), [originGuard(origins)], takeUpgrades)
}

const RULES: Rules = {
  ...{ params: ANYTHING, query: ANYTHING, headers: ANYTHING, cookies: ANYTHING, uses: ANYTHING },
  ...{ decorators: ANYTHING, tags: ANYTHING, meta: ANYTHING, public: ANYTHING, origins: ANYTHING },
  path: rule((value) => typeof value === 'string', `"path" is not a string. Write "path: '/rooms/{room}'"`),
  protocol: rule(
    (value) => typeof value === 'string' && isToken(value),
    `"protocol" is no token. Write "protocol: 'websocket'", or leave it out`,
  ),
}

function upgradeError(why: string): SetupError {
  return new SetupError('UPGRADE_INVALID', `Cannot make an upgrade: ${why}`)
}
