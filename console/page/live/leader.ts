/**
 * Leader election between the tabs of a browser. The leader reads the event stream and sends its messages to the other tabs. Browsers
 * have the required locks only on HTTPS and on localhost; elsewhere, each tab reads a stream.
 */
import { BASE } from './api.js'

const NAME = `dev-console ${BASE}`

/** A message between tabs. */
export type TabMessage =
  | { readonly kind: 'feed'; readonly message: unknown }
  | { readonly kind: 'link'; readonly link: string }
  | { readonly kind: 'want'; readonly tab: string; readonly want: readonly string[] }
  | { readonly kind: 'who' }

export interface Leadership {
  /** Stops being the leader, or stops waiting to become the leader. */
  readonly leave: () => void
}

/** The tabs of this page in this browser. */
export const tabs: BroadcastChannel = new BroadcastChannel(NAME)

/** Random id of this tab. */
export const TAB: string = Math.random().toString(36).slice(2)

/** Sends a message to the other tabs. */
export function broadcast(message: TabMessage): void {
  // A channel has no target, because it only reaches its own origin.
  tabs.postMessage(message) // oxlint-disable-line unicorn/require-post-message-target-origin
}

/** Calls `begin` when this tab becomes the leader. The function that `begin` returns is called at the end. */
export function requestLead(begin: () => () => void): Leadership {
  const waiting = new AbortController()
  let end: (() => void) | null = null
  let release: (() => void) | null = null
  const holdLock = () =>
    new Promise<void>((resolve) => {
      release = resolve
      end = begin()
    })
  if ('locks' in navigator) {
    // `leave` aborts the wait, which rejects the promise.
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
