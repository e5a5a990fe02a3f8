/** Networks of clients, for rate limits, because a client with one IPv6 address usually has very many. */
import { isIP } from 'node:net'

/** An IPv6 address in brackets, with or without a port, as in `Forwarded` (RFC 7239 section 6). */
const BRACKETED = /^\[([\da-f:.]+)\](?::\d{1,5})?$/i

/**
 * Returns the /64 network of an IPv6 address, also in brackets, because a client with one of its addresses has all of them (RFC 6177).
 * Returns the IPv4 address of an IPv4-mapped address (RFC 4291 section 2.5.5.2), and other strings unchanged. An IPv4 address with a port
 * is unchanged too, because it can be a key of an address and a number.
 */
export function toNetwork(address: string): string {
  const plain = BRACKETED.exec(address)?.[1] ?? address
  if (isIP(plain) !== 6) return address
  const groups = ipv6Groups(plain)
  if (isMapped(groups)) return toGroups(groups)
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

/**
 * Converts an IPv4-mapped address to IPv4, because servers that listen on IPv6 see IPv4 clients as `::ffff:a.b.c.d` (RFC 4291 section
 * 2.5.5.2). Returns other strings unchanged.
 */
export function plainAddress(address: string): string {
  if (!address.includes(':') || isIP(address) !== 6) return address
  const groups = ipv6Groups(address)
  if (!isMapped(groups)) return address
  return toGroups(groups)
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
}

function toGroups(groups: readonly number[]): string {
  return groups.slice(6).flatMap(groupBytes).join('.')
}

/** Returns the eight groups of 16 bits. Removes a zone, which names a network interface of this machine. */
function ipv6Groups(address: string): number[] {
  const [plain = ''] = address.split('%')
  const [front = [], back = []] = plain.split('::').map(writtenGroups)
  return [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back]
}

function writtenGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return Number.parseInt(group, 16)
    // The last four bytes can be in the notation of IPv4.
    const value = group.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0)
    return [Math.floor(value / 65_536), value % 65_536]
  })
}

function groupBytes(group: number): number[] {
  return [group >> 8, group & 255]
}
