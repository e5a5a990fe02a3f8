/** Refusals are told to whoever runs the app: one line for each reason and minute, so that nobody can fill a log with them. */
import type { Verdict } from './guard.js'

const MINUTE = 60_000
/** Reasons hold names that clients choose. */
const MOST_REASONS = 100

export class Refusals {
  readonly #print: (message: string) => void
  readonly #now: () => number
  readonly #told = new Map<string, number>()

  constructor(print: (message: string) => void, now: () => number) {
    this.#print = print
    this.#now = now
  }

  tell(ip: string, { reason, wayOut }: Verdict): void {
    const now = this.#now()
    const last = this.#told.get(reason)
    if (last !== undefined && now - last < MINUTE) return
    if (this.#told.size >= MOST_REASONS) this.#forget(now)
    if (this.#told.size >= MOST_REASONS) return
    this.#told.set(reason, now)
    const allow = wayOut === '' ? '' : ` To allow: ${wayOut}`
    this.#print(`__dev__ refused ${ip === '' ? 'a peer without an address' : ip}: ${reason}.${allow}`)
  }

  #forget(now: number): void {
    for (const [reason, time] of this.#told) if (now - time >= MINUTE) this.#told.delete(reason)
  }
}
