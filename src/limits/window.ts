/**
 * A sliding window. It is counted in 60 slots: what was used in a slot counts until the whole slot has left the window. So never is more
 * let through than the limit in any window, and what was used comes back at most a sixtieth of the window late.
 */
import type { Charge, Charged } from './store-types.js'

/** Slots of a window. */
export const SLOTS = 60

/** What was used in a slot; slots are numbered from the beginning of the clock. */
interface Slot {
  readonly number: number
  used: number
}

/** The slots in which something was used, oldest first. */
export type Slots = Slot[]

/** Counts a request if it fits. `now` is in ms and never goes back. */
export function charge(slots: Slots, now: number, { limit, window, cost }: Omit<Charge, 'key'>): Charged {
  const current = Math.floor((now * SLOTS) / window)
  while (slots[0] !== undefined && slots[0].number < current - SLOTS) slots.shift()
  const before = usedIn(slots)
  const allowed = before + cost <= limit
  if (allowed && cost > 0) use(slots, current, cost)
  const remaining = Math.max(0, limit - before - (allowed ? cost : 0))
  const untilLeft = ({ number }: Slot): number => Math.max(0, endOf(number, window) - now)
  const reset = slots[0] === undefined ? 0 : untilLeft(slots[0])
  if (allowed) return { allowed, remaining, reset, retryAfter: 0 }
  const freeing = freeingSlot(slots, before + cost - limit)
  return { allowed, remaining, reset, retryAfter: freeing === undefined ? window : untilLeft(freeing) }
}

/** When a slot has left the window, in ms of the clock. */
function endOf(number: number, window: number): number {
  return ((number + SLOTS + 1) * window) / SLOTS
}

/** When the last of what was used has left the window, in ms of the clock. */
export function endOfAll(slots: Slots, window: number): number {
  return Math.max(0, ...slots.slice(-1).map(({ number }) => endOf(number, window)))
}

function usedIn(slots: Slots): number {
  let sum = 0
  for (const { used } of slots) sum += used
  return sum
}

function use(slots: Slots, number: number, cost: number): void {
  const last = slots.at(-1)
  if (last?.number === number) last.used += cost
  else slots.push({ number, used: cost })
}

/** The slot whose end gives back as much as is missing; `undefined` where none does. */
function freeingSlot(slots: Slots, missing: number): Slot | undefined {
  let freed = 0
  return slots.find(({ used }) => (freed += used) >= missing)
}
