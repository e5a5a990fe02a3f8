/**
 * One stream a browser: of all tabs with this page, one leads and reads the stream, and tells the others. Where the browser
 * has no locks (a page neither on this machine nor on HTTPS) each tab reads its own.
 */
import { BASE } from './api.js'

const NAME = `dev-console ${BASE}`

/** What tabs tell each other. */
export type TabMessage =
  | { readonly kind: 'feed'; readonly message: unknown }
  | { readonly kind: 'link'; readonly link: string }
  | { readonly kind: 'want'; readonly tab: string; readonly want: readonly string[] }
  | { readonly kind: 'who' }

/** Who leads. */
export interface Leadership {
  /** Gives the lead up, or no longer waits for it. */
  readonly leave: () => void
}

/** The tabs of this page in this browser. */
export const tabs: BroadcastChannel = new BroadcastChannel(NAME)

/** Names this tab among the others. */
export const TAB: string = Math.random().toString(36).slice(2)

/** Tells the other tabs. */
export function tell(message: TabMessage): void {
  // A channel reaches its own origin alone and takes no target.
  tabs.postMessage(message) // oxlint-disable-line unicorn/require-post-message-target-origin
}

/** Waits for the lead. */
export function lead(begin: () => () => void): Leadership {
  const waiting = new AbortController()
  let end: (() => void) | null = null
  let release: (() => void) | null = null
  const holdLock = () =>
    new Promise<void>((resolve) => {
      release = resolve
      end = begin()
    })
  if ('locks' in navigator) {
    // Waiting ends with an error when it is given up; that is no failure.
    navigator.locks.request(NAME, { signal: waiting.signal }, holdLock).catch(() => undefined)
  } else {
    void holdLock()
  }
  return {
    leave: () => {
      waiting.abort()
      end?.()
      release?.()
    },
  }
}
