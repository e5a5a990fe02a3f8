/**
 * Sliding window of 60 slots. The amount used in a slot counts until the whole slot is outside the window. No window ever allows more than
 * the limit, and a used amount becomes available again at most a sixtieth of the window late.
 */
import type { Charge, ChargeResult } from './limit-store.js'

/** Number of slots in a window. */
export const SLOTS = 60

/**
 * The used slots, oldest first, as pairs in a flat array: the number of the slot since time 0 of the clock, and the amount used in it.
 * Pairs take a third of the memory of objects.
 */
export type Slots = number[]

/** Counts a request if it is within the limit. `now` is a time in ms, which must not be before a used slot. */
export function charge(slots: Slots, now: number, chargeOptions: Omit<Charge, 'key'>): ChargeResult {
  const { limit, window, cost } = chargeOptions
  const current = slotAt(now, window)
  while (slots[0] !== undefined && slots[0] < current - SLOTS) slots.splice(0, 2)
  const allowed = usedAmount(slots) + cost <= limit
  if (allowed && cost > 0) useSlot(slots, current, cost)
  return chargeResult(slots, now, chargeOptions, allowed)
}

/**
 * Merges slots in the future into the current one. A clock that is not monotonic may be set back, and clients must not have to wait until it
 * catches up.
 */
export function mergeFutureSlots(slots: Slots, now: number, window: number): void {
  const current = slotAt(now, window)
  let amount = 0
  while ((slots.at(-2) ?? current) > current) {
    amount += slotAmount(slots, slots.length - 1)
    slots.length -= 2
  }
  if (amount > 0) useSlot(slots, current, amount)
}

/** Returns the result of counting a request, from the slots after it was counted or rejected. */
export function chargeResult(
  slots: Slots,
  now: number,
  { limit, window, cost }: Omit<Charge, 'key'>,
  allowed: boolean,
): ChargeResult {
  const used = usedAmount(slots)
  const remaining = Math.max(0, limit - used)
  const untilLeft = (number: number): number => Math.max(0, slotEnd(number, window) - now)
  const reset = slots[0] === undefined ? 0 : untilLeft(slots[0])
  if (allowed) return { allowed, remaining, reset, retryAfter: 0 }
  const freeing = freeingSlot(slots, used + cost - limit)
  return { allowed, remaining, reset, retryAfter: freeing === undefined ? window : untilLeft(freeing) }
}

function slotAt(now: number, window: number): number {
  return Math.floor((now * SLOTS) / window)
}

/** Time at which a slot is outside the window, in ms on the clock. */
function slotEnd(number: number, window: number): number {
  return ((number + SLOTS + 1) * window) / SLOTS
}

/** Returns when the last used slot leaves the window, as a time of the clock in ms; 0 if no slot is used. */
export function lastSlotEnd(slots: Slots, window: number): number {
  const lastSlot = slots.at(-2)
  return lastSlot === undefined ? 0 : Math.max(0, slotEnd(lastSlot, window))
}

function usedAmount(slots: Slots): number {
  let sum = 0
  for (let at = 1; at < slots.length; at += 2) sum += slotAmount(slots, at)
  return sum
}

function useSlot(slots: Slots, number: number, cost: number): void {
  if (slots.at(-2) !== number) slots.push(number, cost)
  else slots[slots.length - 1] = slotAmount(slots, slots.length - 1) + cost
}

/** Finds the slot after whose end the missing amount is available; `undefined` if all slots together are not enough. */
function freeingSlot(slots: Slots, missing: number): number | undefined {
  let freed = 0
  for (let at = 1; at < slots.length; at += 2) {
    freed += slotAmount(slots, at)
    if (freed >= missing) return slots[at - 1]
  }
  return undefined
}

function slotAmount(slots: Slots, at: number): number {
  // Proof: every slot number is followed by its amount.
  return slots[at] as number
}
