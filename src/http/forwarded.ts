/**
 * Forwarding headers of trusted proxies. Read from the end, so that a client cannot change the meaning of entries that proxies add.
 *
 * @see docs/decisions/0006-forwarding-headers.md
 */
import { BlockList, isIP } from 'node:net'
import { optionError } from '../errors/options.js'
import { UNIX, type Exchange } from './exchange.js'
import { unescapePairs } from './fields.js'
import { plainAddress } from './network.js'

interface Family {
  readonly family: 'ipv4' | 'ipv6'
  readonly bits: number
}

const FAMILIES = new Map<number, Family>([
  [4, { family: 'ipv4', bits: 32 }],
  [6, { family: 'ipv6', bits: 128 }],
])

export class TrustedProxies {
  readonly #list: BlockList = new BlockList()
  readonly isEmpty: boolean
  readonly #trustsUnix: boolean

  constructor(networks: readonly string[]) {
    this.isEmpty = networks.length === 0
    this.#trustsUnix = networks.includes(UNIX)
    for (const text of networks) {
      if (text === UNIX) continue
      const network = readNetwork(text)
      if (network === undefined) {
        const why = `it must contain IP addresses, networks or "unix" for a Unix socket, not "${text}"`
        throw optionError('createApp()', 'trustProxy', `${why}. Write "trustProxy: ['10.0.0.0/8']"`)
      }
      this.#list.addSubnet(network.address, network.bits, network.family)
    }
  }

  trusts(address: string): boolean {
    if (address === UNIX) return this.#trustsUnix
    const plain = plainAddress(address)
    const family = FAMILIES.get(isIP(plain))
    return family !== undefined && this.#list.check(plain, family.family)
  }

  /**
   * Returns the last untrusted address in `Forwarded` (RFC 7239) or `X-Forwarded-For`. If the headers disagree, neither is trusted, because
   * the client may have sent one of them.
   */
  clientOf(exchange: Pick<Exchange, 'ip' | 'header'>): string {
    const client = this.#clientOf(exchange)
    if (client === UNIX) return ''
    return client
  }

  #clientOf(exchange: Pick<Exchange, 'ip' | 'header'>): string {
    const { ip } = exchange
    if (this.isEmpty || !this.trusts(ip)) return ip
    const forwarded = exchange.header('forwarded')
    const listed = exchange.header('x-forwarded-for')
    if (forwarded === undefined) {
      if (listed === undefined) return ip
      return this.#namedIn(listedPeers(listed), ip) ?? anonymousPeer(ip)
    }
    const client = this.#namedIn(forwardedPeers(forwarded), ip)
    if (listed !== undefined && this.#namedIn(listedPeers(listed), ip) !== client) return anonymousPeer(ip)
    return client ?? anonymousPeer(ip)
  }

  /** Returns `undefined` if a trusted proxy omitted an address, because the client is unknown then. */
  #namedIn(peers: Iterable<Peer>, peer: string): Peer {
    for (const each of peers) {
      if (each === undefined) return undefined
      if (!this.trusts(each)) return plainAddress(each)
    }
    return peer
  }

  requestIdOf(exchange: Exchange): string | undefined {
    if (this.isEmpty || !this.trusts(exchange.ip)) return undefined
    const id = exchange.header('x-request-id')
    if (id === undefined || !REQUEST_ID.test(id)) return undefined
    return id
  }
}

let loopback: TrustedProxies | undefined

/** Whether an address belongs to this machine. The list is created on first use, because parsing a first address takes 3 ms at startup. */
export function isLoopback(address: string): boolean {
  loopback ??= new TrustedProxies(['127.0.0.0/8', '::1'])
  return loopback.trusts(address)
}

/** Address for an unknown client. Empty behind a proxy on this machine, so that the client is not mistaken for a local program. */
function anonymousPeer(peer: string): string {
  return isLoopback(peer) ? '' : peer
}

const REQUEST_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/

function readNetwork(text: string): (Family & { address: string }) | undefined {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = FAMILIES.get(isIP(address))
  if (family === undefined || rest.length > 0) return undefined
  let { bits } = family
  if (prefix !== undefined) bits = Number(prefix || NaN)
  if (!Number.isInteger(bits) || bits < 0 || bits > family.bits) return undefined
  return { address, bits, family: family.family }
}

export function isNetwork(text: string): boolean {
  return readNetwork(text) !== undefined
}

/** An address; `undefined` if a proxy omitted it. */
export type Peer = string | undefined

/** An IPv4 address, or an IPv6 address in brackets, with an optional port (RFC 7239 section 6). */
const NODE = /^(?:\[(?<six>[0-9A-Fa-f:.]+)\]|(?<four>[0-9.]+))(?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?$/
/** Excludes addresses with a zone, which is only valid on one machine. */
const PLAIN = /^[0-9A-Fa-f:.]+$/

/** Yields the `for` address of each element of `Forwarded` (RFC 7239 section 4), last first. Takes linear time in total. */
export function* forwardedPeers(text: string): Generator<Peer, void, undefined> {
  for (const element of partsFromEnd(text, ',')) yield parseForParameter(element)
}

/** Yields the addresses of `X-Forwarded-For`, last first. No RFC describes it; ports and brackets are parsed as in `Forwarded`. */
export function* listedPeers(text: string): Generator<Peer, void, undefined> {
  for (const part of partsFromEnd(text, ',')) {
    const entry = part.trim()
    yield isIP(entry) === 6 && PLAIN.test(entry) ? entry : parseNode(entry)
  }
}

/** Yields the parts between separators, last first. Ignores separators in quoted strings. */
export function* partsFromEnd(text: string, separator: string): Generator<string, void, undefined> {
  let end = text.length
  let isQuoted = false
  for (let at = end - 1; at >= 0; at--) {
    if (text[at] === '"') {
      let start = at
      while (text[start - 1] === '\\') start--
      // An odd number of backslashes escapes the quote.
      if ((at - start) % 2 === 0) isQuoted = !isQuoted
    } else if (text[at] === separator && !isQuoted) {
      yield text.slice(at + 1, end)
      end = at
    }
  }
  yield text.slice(0, end)
}

export function parseForParameter(element: string): Peer {
  return parseNode(findParameter(element, 'for') ?? '')
}

/** Returns `undefined` if the parameter is missing or repeated. */
export function findParameter(element: string, name: string): string | undefined {
  let value: string | undefined
  for (const pair of partsFromEnd(element, ';')) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim().toLowerCase() !== name) continue
    if (value !== undefined) return undefined
    value = pair.slice(equals + 1).trim()
  }
  if (value?.startsWith('"') && value.endsWith('"')) return unescapePairs(value.slice(1, -1))
  return value
}

/** Returns `undefined` for `unknown` and for obfuscated names such as `_hidden`. */
function parseNode(node: string): Peer {
  const { six, four } = NODE.exec(node)?.groups ?? {}
  if (six !== undefined && isIP(six) === 6) return six
  if (four !== undefined && isIP(four) === 4) return four
  return undefined
}
