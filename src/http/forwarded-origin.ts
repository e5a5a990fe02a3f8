/** The origin of this server as its clients see it, behind trusted proxies. */
import type { Exchange } from './exchange.js'
import {
  parseForParameter,
  listedPeers,
  findParameter,
  partsFromEnd,
  type Peer,
  type TrustedProxies,
} from './forwarded.js'
import { HOST } from './target.js'

type ForwardedRequest = Pick<Exchange, 'ip' | 'header' | 'host' | 'isSecure'>

/** Returns scheme and host in the form of an `Origin` header; `undefined` if the host is missing or malformed. */
export function resolveOrigin(exchange: ForwardedRequest, proxies: TrustedProxies): string | undefined {
  const named: ForwardedTarget[] = []
  if (!proxies.isEmpty && proxies.trusts(exchange.ip))
    named.push(inForwarded(exchange, proxies), inLists(exchange, proxies))
  const host = singleValue(named.map((each) => each.host)) ?? exchange.host
  const scheme = SCHEMES.get(singleValue(named.map(({ proto }) => proto))?.toLowerCase() ?? '')
  const url = `${scheme ?? (exchange.isSecure ? 'https' : 'http')}://${host}`
  if (!HOST.test(host) || !URL.canParse(url)) return undefined
  return new URL(url).origin
}

/** Scheme and host of the client's request, as reported by a proxy. */
interface ForwardedTarget {
  readonly proto?: string | undefined
  readonly host?: string | undefined
}

/** Returns the values that the outermost trusted proxy added to `Forwarded`. If it omits one, the value of the next proxy applies. */
function inForwarded(exchange: ForwardedRequest, proxies: TrustedProxies): ForwardedTarget {
  let target: ForwardedTarget = {}
  for (const element of partsFromEnd(exchange.header('forwarded') ?? '', ',')) {
    target = {
      proto: findParameter(element, 'proto') ?? target.proto,
      host: findParameter(element, 'host') ?? target.host,
    }
    if (!isTrusted(parseForParameter(element), proxies)) break
  }
  return target
}

/** Returns the entries of the outermost trusted proxy. A list has fewer entries if a proxy replaces the header instead of adding to it. */
function inLists(exchange: ForwardedRequest, proxies: TrustedProxies): ForwardedTarget {
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

/** Scheme of the origin by reported scheme. Some proxies report the scheme of a WebSocket, but its page has an HTTP origin. */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])

/** Returns `undefined` if two headers disagree, because the client may have sent one of them. */
function singleValue(named: readonly (string | undefined)[]): string | undefined {
  const values = new Set(named.filter((each) => each !== undefined))
  const [value] = values
  if (values.size > 1) return undefined
  return value
}
