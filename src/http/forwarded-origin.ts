/** The origin of this server as its clients see it, behind proxies that are trusted. */
import type { Exchange } from './exchange.js'
import { parseFor, listedPeers, findParameter, partsFromEnd, type Peer, type TrustedProxies } from './forwarded.js'
import { isHost } from './target.js'

type ForwardedRequest = Pick<Exchange, 'ip' | 'header' | 'host' | 'isSecure'>

/** Scheme and host, written as browsers write an origin; `undefined` where nobody says what the host is. */
export function resolveOrigin(exchange: ForwardedRequest, proxies: TrustedProxies): string | undefined {
  const isNamed = !proxies.isEmpty && proxies.trusts(exchange.ip)
  const named = isNamed ? [inForwarded(exchange, proxies), inLists(exchange, proxies)] : []
  const host = singleValue(named.map((each) => each.host)) ?? exchange.host
  const scheme = SCHEMES.get(singleValue(named.map(({ proto }) => proto))?.toLowerCase() ?? '')
  const url = `${scheme ?? (exchange.isSecure ? 'https' : 'http')}://${host}`
  return isHost(host) && URL.canParse(url) ? new URL(url).origin : undefined
}

/** What a proxy says that the client has asked for. */
interface Target {
  readonly proto?: string | undefined
  readonly host?: string | undefined
}

/** What the outermost proxy says that is trusted; each says no more than it knows. */
function inForwarded(exchange: ForwardedRequest, proxies: TrustedProxies): Target {
  let target: Target = {}
  for (const element of partsFromEnd(exchange.header('forwarded') ?? '', ',')) {
    target = {
      proto: findParameter(element, 'proto') ?? target.proto,
      host: findParameter(element, 'host') ?? target.host,
    }
    if (!isTrusted(parseFor(element), proxies)) break
  }
  return target
}

/** As many entries from the end as there are proxies; those that set a field instead of adding to it leave fewer. */
function inLists(exchange: ForwardedRequest, proxies: TrustedProxies): Target {
  let count = 0
  for (const peer of listedPeers(exchange.header('x-forwarded-for') ?? '')) {
    if (!isTrusted(peer, proxies)) break
    count++
  }
  const entryOf = (name: string): string | undefined => {
    const entries = exchange.header(name)?.split(',') ?? []
    return entries.at(-1 - Math.min(count, entries.length - 1))?.trim()
  }
  return { proto: entryOf('x-forwarded-proto'), host: entryOf('x-forwarded-host') }
}

function isTrusted(peer: Peer, proxies: TrustedProxies): boolean {
  return peer !== undefined && proxies.trusts(peer)
}

/** Proxies name the scheme of a WebSocket, too; its page has that of its origin. */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])

/** Where two headers disagree, the client may have sent one of them. */
function singleValue(named: readonly (string | undefined)[]): string | undefined {
  const values = new Set(named.filter((each) => each !== undefined))
  const [value] = values
  return values.size === 1 ? value : undefined
}
