/** Attempts to sign in: one a second for each client, so that nobody can try many tokens, or keep others from trying theirs. */

const ATTEMPT_MS = 1_000
const MOST_CLIENTS = 1_000

export class Attempts {
  readonly #last = new Map<string, number>()

  get size(): number {
    return this.#last.size
  }

  take(address: string, now: number): boolean {
    const client = networkOf(address)
    const last = this.#last.get(client)
    if (last !== undefined && isRecent(last, now)) return false
    this.#forget(now)
    this.#last.delete(client)
    this.#last.set(client, now)
    return true
  }

  #forget(now: number): void {
    for (const [client, last] of this.#last) {
      if (isRecent(last, now) && this.#last.size < MOST_CLIENTS) return
      this.#last.delete(client)
    }
  }
}

/** A clock that was set back makes nobody wait. */
function isRecent(last: number, now: number): boolean {
  return now >= last && now - last < ATTEMPT_MS
}

/** Groups of an IPv6 address, and those that name its network: one client usually has all addresses of a /64. */
const [GROUPS, NETWORK] = [8, 4]

export function networkOf(address: string): string {
  const [plain = ''] = address.replace(/^::ffff:(?=[\d.]+$)/i, '').split('%')
  if (!plain.includes(':')) return plain
  const [head = [], tail = []] = plain.split('::').map(groupsOf)
  const zeros = plain.includes('::') ? Math.max(0, GROUPS - head.length - tail.length) : 0
  return [...head, ...Array.from({ length: zeros }, () => 0), ...tail]
    .slice(0, NETWORK)
    .map((group) => group.toString(16))
    .join(':')
}

/** The last two groups may be written as an IPv4 address; they name no network. */
function groupsOf(part: string): number[] {
  if (part === '') return []
  return part.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]))
}
