/** Networks of clients, for counting: an address of version 6 is one of very many that its client has. */
import { isIP } from 'node:net'

/**
 * Of an address of version 6 its network, the first 64 bits: whoever has one address of it has all of them (RFC 6177). Of one that stands
 * for an address of version 4 (RFC 4291 section 2.5.5.2), that address. Any other text stays as it is.
 */
export function toNetwork(address: string): string {
  if (isIP(address) !== 6) return address
  const groups = ipv6Groups(address)
  if (isMapped(groups)) return toGroups(groups)
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

/**
 * The one form of an address: servers that listen on version 6 see clients of version 4 as `::ffff:a.b.c.d` (RFC 4291 section 2.5.5.2).
 * Returns other strings unchanged.
 */
export function plainAddress(address: string): string {
  if (!address.includes(':') || isIP(address) !== 6) return address
  const groups = ipv6Groups(address)
  return isMapped(groups) ? toGroups(groups) : address
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
}

function toGroups(groups: readonly number[]): string {
  return groups.slice(6).flatMap(groupBytes).join('.')
}

/** The eight groups of 16 bits. A zone, which is a name of a network card of this machine, is left out. */
function ipv6Groups(address: string): number[] {
  const [plain = ''] = address.split('%')
  const [front = [], back = []] = plain.split('::').map(writtenGroups)
  return [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back]
}

function writtenGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => (group.includes('.') ? ipv4Groups(group) : [Number.parseInt(group, 16)]))
}

/** Four bytes with dots in between, as two groups. */
function ipv4Groups(text: string): number[] {
  const value = text.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0)
  return [Math.floor(value / 65_536), value % 65_536]
}

function groupBytes(group: number): number[] {
  return [group >> 8, group & 255]
}
