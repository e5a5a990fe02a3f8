/** Keys of the page. Users can disable the keys without a modifier (WCAG 2.1.4). */
import { VIEWS } from './views.js'

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

/** List of keys in the dialog. */
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

export interface KeyPress {
  readonly key: string
  readonly ctrl: boolean
  readonly alt: boolean
  /** Whether the focus is on an input for text. */
  readonly isTyping: boolean
  /** Whether the focus is on an element that handles Enter and Space. */
  readonly isOnControl: boolean
  /** Whether the focus is on a panel that Space scrolls. */
  readonly isOnPanel?: boolean
}

/** Returns the command of a key; `null` for other keys. `isOn` enables the keys without a modifier. */
export function findCommand(pressed: KeyPress, isOn: boolean): Command | null {
  const { key, ctrl, alt } = pressed
  if (ctrl || alt) return !alt && key.toLowerCase() === 'k' ? 'palette' : null
  if (key === 'Escape') return 'close'
  return isOn && isFree(pressed) ? (COMMANDS.get(key) ?? null) : null
}

/** Whether the focused element does not use the key. */
function isFree({ key, isTyping, isOnControl, isOnPanel = false }: KeyPress): boolean {
  if (isTyping || (isOnPanel && key === ' ')) return false
  return !(isOnControl && (key === ' ' || key === 'Enter'))
}
