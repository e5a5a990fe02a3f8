/** What the views of all tabs want of the feed beyond what always comes. The tab that leads asks for all of it. */
import type { SettingsAction } from '../../wire/feed-types.js'
import { api } from './api.js'
import { TAB, tell } from './leader.js'

/** A kind of event that comes only when it is asked for. */
type WantedRecord = SettingsAction['want'][number]

/** What is wanted of the feed. */
export class Wants {
  #own: readonly WantedRecord[] = []
  readonly #others = new Map<string, readonly string[]>()
  #stream: string | null = null
  #asked = ''

  /** Whether this tab leads. */
  get leads(): boolean {
    return this.#stream !== null
  }

  /** Says what this tab wants. */
  set(want: readonly WantedRecord[]): void {
    this.#own = want
    tell({ kind: 'want', tab: TAB, want })
    this.#ask()
  }

  /** Hears what another tab wants. */
  heard(tab: string, want: readonly string[]): void {
    if (want.length === 0) this.#others.delete(tab)
    else this.#others.set(tab, want)
    this.#ask()
  }

  /** This tab has a stream. */
  lead(stream: string): void {
    this.#stream = stream
    this.#asked = ''
    this.#ask()
  }

  /** This tab has a stream no more. */
  follow(): void {
    this.#stream = null
  }

  #ask(): void {
    const all = new Set([...this.#own, ...[...this.#others.values()].flat()])
    const want = (['log', 'open'] as const).filter((it) => all.has(it))
    const wantedKey = want.join(' ')
    if (this.#stream === null || wantedKey === this.#asked) return
    this.#asked = wantedKey
    // Without them the views show what the snapshot had; nothing else depends on it.
    api.settings({ stream: this.#stream, want }).catch(() => undefined)
  }
}
