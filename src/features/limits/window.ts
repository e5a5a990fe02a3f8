/**
 * A sliding window. It is counted in 60 slots: what was used in a slot counts until the whole slot has left the window. So never is more
 * let through than the limit in any window, and what was used comes back at most a sixtieth of the window late.
 */
import type { Charge, ChargeResult } from './store-types.js'

/** Slots of a window. */
export const SLOTS = 60

/**
 * The slots in which something was used, oldest first, as pairs: the number of a slot, counted from the beginning of the clock, and what was
 * used in it. Pairs take a third of the memory of objects.
 */
export type Slots = number[]

/** Counts a request if it fits. `now` is in ms and never goes back. */
export function charge(slots: Slots, now: number, { limit, window, cost }: Omit<Charge, 'key'>): ChargeResult {
  const current = Math.floor((now * SLOTS) / window)
  while (slots[0] !== undefined && slots[0] < current - SLOTS) slots.splice(0, 2)
  const before = usedIn(slots)
  const allowed = before + cost <= limit
  if (allowed && cost > 0) use(slots, current, cost)
  const remaining = Math.max(0, limit - before - (allowed ? cost : 0))
  const untilLeft = (number: number): number => Math.max(0, slotEnd(number, window) - now)
  const reset = slots[0] === undefined ? 0 : untilLeft(slots[0])
  if (allowed) return { allowed, remaining, reset, retryAfter: 0 }
  const freeing = freeingSlot(slots, before + cost - limit)
  return { allowed, remaining, reset, retryAfter: freeing === undefined ? window : untilLeft(freeing) }
}

/** When a slot has left the window, in ms of the clock. */
function slotEnd(number: number, window: number): number {
  return ((number + SLOTS + 1) * window) / SLOTS
}

/** When the last of what was used has left the window, in ms of the clock. */
export function lastSlotEnd(slots: Slots, window: number): number {
  const last = slots.at(-2)
  return last === undefined ? 0 : Math.max(0, slotEnd(last, window))
}

function usedIn(slots: Slots): number {
  let sum = 0
  for (let at = 1; at < slots.length; at += 2) sum += usedAt(slots, at)
  return sum
}

function use(slots: Slots, number: number, cost: number): void {
  if (slots.at(-2) !== number) slots.push(number, cost)
  else slots[slots.length - 1] = usedAt(slots, slots.length - 1) + cost
}

/** The slot whose end gives back as much as is missing; `undefined` where none does. */
function freeingSlot(slots: Slots, missing: number): number | undefined {
  let freed = 0
  for (let at = 1; at < slots.length; at += 2) {
    freed += usedAt(slots, at)
    if (freed >= missing) return slots[at - 1]
  }
  return undefined
}

function usedAt(slots: Slots, at: number): number {
  // Proof: every second number is there.
  return slots[at] as number
}
