/** The keys of the page. Those without a modifier can be switched off (WCAG 2.1.4). */
import { VIEWS } from './views.js'

/** What a key does. */
export type Command =
  | 'filter'
  | 'next'
  | 'previous'
  | 'open'
  | 'close'
  | 'replay'
  | 'edit'
  | 'copy'
  | 'pin'
  | 'pause'
  | 'clear'
  | 'theme'
  | 'help'
  | 'palette'
  | 'file'
  | `view-${number}`

/** Keys and what they do, as the page lists them. */
export const SHORTCUTS: readonly (readonly [text: string, ...keys: readonly string[]])[] = [
  ['Filter', '/'],
  ['Next, previous request', 'j', 'k'],
  ['Open', 'Enter'],
  ['Close details', 'Esc'],
  ['Replay', 'r'],
  ['Edit and resend', 'e'],
  ['Copy as cURL', 'c'],
  ['Pin or unpin', 'p'],
  ['Pause or resume', 'Space'],
  ['Clear', 'Shift X'],
  ['Open a file', 'o'],
  ['Switch view', `1 to ${VIEWS.length}`],
  ['Theme', 't'],
  ['Jump to', 'Ctrl K'],
  ['This list', '?'],
]

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['/', 'filter'],
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['r', 'replay'],
  ['e', 'edit'],
  ['c', 'copy'],
  ['p', 'pin'],
  [' ', 'pause'],
  ['X', 'clear'],
  ['o', 'file'],
  ['t', 'theme'],
  ['?', 'help'],
  ...VIEWS.map((_, index): [string, Command] => [String(index + 1), `view-${index}`]),
])

/** A key that was pressed. */
export interface KeyPress {
  readonly key: string
  readonly ctrl: boolean
  readonly alt: boolean
  /** Whether the focus is where text is typed. */
  readonly isTyping: boolean
  /** Whether the focus is on something that takes Enter and Space itself. */
  readonly isOnControl: boolean
  /** Whether the focus is on a panel that Space scrolls. */
  readonly isOnPanel?: boolean
}

/** Finds what a key does. Returns `null` for nothing. */
export function findCommand(pressed: KeyPress, isOn: boolean): Command | null {
  const { key, ctrl, alt } = pressed
  if (ctrl || alt) return !alt && key.toLowerCase() === 'k' ? 'palette' : null
  if (key === 'Escape') return 'close'
  return isOn && isFree(pressed) ? (COMMANDS.get(key) ?? null) : null
}

/** Whether the key does nothing where the focus is. */
function isFree({ key, isTyping, isOnControl, isOnPanel = false }: KeyPress): boolean {
  if (isTyping || (isOnPanel && key === ' ')) return false
  return !(isOnControl && (key === ' ' || key === 'Enter'))
}
