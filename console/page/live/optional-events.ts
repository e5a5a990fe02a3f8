/** Optional events that the views of all tabs need. The leading tab requests the events for all of them. */
import type { SettingsAction } from '../../../src/devconsole/wire/feed-types.js'
import { api } from './api.js'
import { TAB, broadcast } from './leader.js'

/** An event that the app sends only on request. */
type OptionalEvent = SettingsAction['want'][number]

export class OptionalEvents {
  /** Events that this tab needs. */
  #local: readonly OptionalEvent[] = []
  /** Events that the other tabs need, by tab. */
  readonly #others = new Map<string, readonly string[]>()
  /** Id of the stream of this tab; `null` unless this tab leads. */
  #stream: string | null = null
  /** The last requested events. */
  #requested = ''

  get isLeader(): boolean {
    return this.#stream !== null
  }

  /** Sets the events that this tab needs. */
  set(want: readonly OptionalEvent[]): void {
    this.#local = want
    broadcast({ kind: 'want', tab: TAB, want })
    this.#request()
  }

  /** Sets the events that another tab needs. */
  setOther(tab: string, want: readonly string[]): void {
    if (want.length === 0) this.#others.delete(tab)
    else this.#others.set(tab, want)
    this.#request()
  }

  /** Called when this tab has opened a stream. */
  lead(stream: string): void {
    this.#stream = stream
    this.#requested = ''
    this.#request()
  }

  /** Called when this tab has closed its stream. */
  follow(): void {
    this.#stream = null
  }

  #request(): void {
    const needed = new Set([...this.#local, ...[...this.#others.values()].flat()])
    const want = (['log', 'open'] as const).filter((event) => needed.has(event))
    const requested = want.join(' ')
    if (this.#stream === null || requested === this.#requested) return
    this.#requested = requested
    // If this fails, the views still show the log lines and requests of the snapshot.
    api.settings({ stream: this.#stream, want }).catch(() => undefined)
  }
}
