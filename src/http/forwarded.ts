/** Forwarding headers, believed only when a trusted peer sent them. */
import { BlockList, isIP } from 'node:net'
import { SetupError } from '../errors/setup-error.js'
import type { Exchange } from './exchange.js'
import { forwardedPeers, listedPeers, type Peer } from './forwarded-peers.js'

type Family = 'ipv4' | 'ipv6'

/** By what `isIP` says. */
const FAMILIES: Readonly<Record<number, { readonly name: Family; readonly bits: number }>> = {
  4: { name: 'ipv4', bits: 32 },
  6: { name: 'ipv6', bits: 128 },
}

/** The peers whose forwarding headers count. */
export class TrustedProxies {
  readonly #list: BlockList = new BlockList()
  readonly isEmpty: boolean

  constructor(networks: readonly string[]) {
    this.isEmpty = networks.length === 0
    for (const text of networks) {
      const network = readNetwork(text)
      if (network === undefined) {
        const wayOut = 'Give addresses such as "10.0.0.1" or networks such as "10.0.0.0/8"'
        throw new SetupError(
          'OPTION_INVALID',
          `Cannot trust the proxy "${text}": it is no address or network. ${wayOut}`,
        )
      }
      this.#list.addSubnet(network.address, network.bits, network.family)
    }
  }

  trusts(address: string): boolean {
    const plain = address.startsWith('::ffff:') ? address.slice(7) : address
    const family = FAMILIES[isIP(plain)]
    return family !== undefined && this.#list.check(plain, family.name)
  }

  /**
   * The address of the client: of the peers that `Forwarded` (RFC 7239) or `X-Forwarded-For` names, the last that is not trusted
   * itself. No proxy may have touched one of them, so it may be what the client sent: where they disagree, neither counts.
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

  /** The id that a trusted peer gave the request. */
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

function readNetwork(text: string): { address: string; bits: number; family: Family } | undefined {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = FAMILIES[isIP(address)]
  if (family === undefined || rest.length > 0) return undefined
  const bits = prefix === undefined ? family.bits : Number(prefix || NaN)
  const isSize = Number.isInteger(bits) && bits >= 0 && bits <= family.bits
  return isSize ? { address, bits, family: family.name } : undefined
}

/** Tells whether a text is an address or a network, such as `10.0.0.1` or `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  return readNetwork(text) !== undefined
}
