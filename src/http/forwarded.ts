/** Forwarding headers, believed only when a trusted peer sent them. */
import { BlockList, isIP } from 'node:net'
import { SetupError } from '../errors/setup-error.js'
import type { Exchange } from './exchange.js'
import { forwardedPeers, listedPeers, type Peer } from './forwarded-peers.js'

/** The peers whose forwarding headers count. */
export class TrustedProxies {
  readonly #list: BlockList = new BlockList()
  /** Whether any peer is trusted. */
  readonly isEmpty: boolean

  constructor(networks: readonly string[]) {
    this.isEmpty = networks.length === 0
    for (const network of networks) this.#add(network)
  }

  #add(network: string): void {
    const read = readNetwork(network)
    if (read === undefined) {
      const wayOut = 'Give addresses such as "10.0.0.1" or networks such as "10.0.0.0/8"'
      throw new SetupError(
        'OPTION_INVALID',
        `Cannot trust the proxy "${network}": it is no address or network. ${wayOut}`,
      )
    }
    this.#list.addSubnet(read.address, read.bits, read.family)
  }

  /** Tells whether a peer is trusted. */
  trusts(address: string): boolean {
    const plain = address.startsWith('::ffff:') ? address.slice(7) : address
    const family = familyOf(plain)
    return family !== undefined && this.#list.check(plain, family)
  }

  /**
   * The address of the client: of the peers that `Forwarded` (RFC 7239) or `X-Forwarded-For` names, the last that is
   * not trusted itself. One of them may be what the client sent, and no proxy has touched: where they disagree, neither
   * counts.
   */
  clientOf(exchange: Pick<Exchange, 'ip' | 'header'>): string {
    const { ip } = exchange
    if (this.isEmpty || !this.trusts(ip)) return ip
    const forwarded = exchange.header('forwarded')
    const listed = exchange.header('x-forwarded-for')
    if (forwarded === undefined)
      return listed === undefined ? ip : (this.#namedIn(listedPeers(listed), ip) ?? hidden(ip))
    const client = this.#namedIn(forwardedPeers(forwarded), ip)
    const isSure = listed === undefined || this.#namedIn(listedPeers(listed), ip) === client
    return isSure && client !== undefined ? client : hidden(ip)
  }

  /** The search ends where an address is missing: nobody knows who the client is. */
  #namedIn(peers: Iterable<Peer>, peer: string): Peer {
    for (const each of peers) {
      if (each === undefined) return undefined
      if (!this.trusts(each)) return each
    }
    return peer
  }

  /** The id that a trusted peer gave the request. Returns the id, or `undefined`. */
  requestIdOf(exchange: Exchange): string | undefined {
    if (this.isEmpty || !this.trusts(exchange.ip)) return undefined
    const id = exchange.header('x-request-id')
    return id !== undefined && REQUEST_ID.test(id) ? id : undefined
  }
}

const LOOPBACK = new TrustedProxies(['127.0.0.0/8', '::1'])

/** What stands for a client that nobody has named: behind a proxy on this machine it must not look like a program on this machine. */
function hidden(peer: string): string {
  return LOOPBACK.trusts(peer) ? '' : peer
}

const REQUEST_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/

interface Network {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

function readNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = familyOf(address)
  const bits = prefix === undefined ? maximumOf(family) : Number(prefix || NaN)
  if (family === undefined || rest.length > 0) return undefined
  return Number.isInteger(bits) && bits >= 0 && bits <= maximumOf(family) ? { address, bits, family } : undefined
}

/** Tells whether a text names an address or a network. Returns true for `10.0.0.1`, `10.0.0.0/8` and their like. */
export function isNetwork(text: string): boolean {
  return readNetwork(text) !== undefined
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? 'ipv4' : 'ipv6'
}

function maximumOf(family: 'ipv4' | 'ipv6' | undefined): number {
  return family === 'ipv4' ? 32 : 128
}
