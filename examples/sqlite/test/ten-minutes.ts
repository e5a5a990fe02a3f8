/** Ten simulated minutes of an app with 3,000 new clients a minute, for a store that removes expired rows. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { KeyClaim } from 'verbena/idempotency'

export const MINUTE = 60_000
/** New rows of a minute. The test inserts most of them with one statement, because fewer writes of a store remove fewer rows. */
export const RATE = 3_000
const WRITES = 60
/** Rows of a minute that the test inserts. */
export const INSERTED = RATE - WRITES

/** A table of a store. */
export interface FilledTable {
  /** Writes a row through the store. */
  readonly write: (key: string) => unknown
  readonly count: () => Promise<number>
  /** Makes all rows a minute older, and inserts rows that expire after a minute. */
  readonly pass: (minute: number) => Promise<unknown>
}

/** Asserts that a table has at most the rows of two minutes. */
export async function passTenMinutes(t: TestContext, { write, count, pass }: FilledTable): Promise<void> {
  let now = 1_000_000
  t.mock.method(performance, 'now', () => now)
  const counts: number[] = []
  for (let minute = 1; minute <= 10; minute++) {
    now += MINUTE
    await pass(minute)
    for (let writes = 0; writes < WRITES; writes++) {
      await write(`new-${minute}-${writes}`)
      await turn()
    }
    counts.push(await count())
  }
  assert.ok(Math.max(...counts) <= 2 * RATE, counts.join())
}

export function buildClaim(key: string): KeyClaim {
  return { key, client: 'c', owner: key, request: 'r', lease: MINUTE }
}

export function nextMinute(): number {
  return Date.now() + MINUTE
}
