/** What the feed is made of, and where in it a reader was. */
import type { KeptRecord } from '../store/record-store.js'
import type { BufferFacts, HelloEvent, MetricsPoint, OpenCall } from '../wire/feed-types.js'
import type { RequestSummary } from '../wire/request-types.js'

export interface FeedSource {
  readonly boot: string
  readonly seq: () => number
  readonly hello: () => Omit<HelloEvent, 'v' | 'boot' | 'resumed' | 'stream' | 'now'>
  readonly summary: (recorded: KeptRecord) => RequestSummary
  /** Records after a number, oldest first; `null` when some are not kept. */
  readonly since: (seq: number) => KeptRecord[] | null
  readonly point: () => MetricsPoint | null
  readonly buffer: () => BufferFacts
  readonly openFor: (age: number) => OpenCall[]
  /** The first reader has come, the last has gone. */
  readonly watched: (isWatched: boolean) => void
}

/**
 * Reads the id of an event. Returns number of the newest record that the reader had; `null` for none of this process.
 */
export function seqOf(id: string | undefined, boot: string): number | null {
  const [, of, seq] = /^([a-z0-9]{1,12})-(\d{1,15})$/.exec(id ?? '') ?? []
  return of === boot ? Number(seq) : null
}
