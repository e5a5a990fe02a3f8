/** Takes what a client sent back out of the messages that libraries make of it. */
import { valueAt } from './pointer.js'
import { isObject } from '../values/objects.js'
import { StringsWithin } from './strings-within.js'

const HIDDEN = '"..."'

/**
 * Replaces quoted text of a refused value in messages: several libraries write what they received, and that may be a password on
 * its way to a log. Numbers and words without quotes stay, since they cannot be told from the rule itself.
 */
export class Redactor {
  readonly #root: unknown
  #strings: StringsWithin | undefined

  constructor(root: unknown) {
    this.#root = root
  }

  /** Redacts the message of an issue. */
  redact(message: string, path: readonly unknown[], longest: number): string {
    if (!message.includes('"')) return message
    const value = valueAt(this.#root, path)
    if (typeof value === 'string') return hideText(message, value)
    if (!isObject(value)) return message
    const strings = (this.#strings ??= new StringsWithin(Object(this.#root)))
    return replaceQuoted(message, longest, (quoted) => strings.has(value, quoted))
  }
}

// Some libraries escape what they quote, some do not.
function hideText(message: string, text: string): string {
  if (message.length < text.length + 2) return message
  return message.replaceAll(JSON.stringify(text), HIDDEN).replaceAll(`"${text}"`, HIDDEN)
}

// By hand: an expression looks at an open quote again and again, and runs out of stack in a text of some megabytes.
function replaceQuoted(message: string, longest: number, isHidden: (quoted: string) => boolean): string {
  let text = ''
  let from = 0
  while (text.length <= longest) {
    const open = message.indexOf('"', from)
    const end = open < 0 ? -1 : endOfQuoted(message, open)
    if (end < 0) break
    const quoted = message.slice(open, end)
    text += message.slice(from, open) + (isHidden(quoted) ? HIDDEN : quoted)
    from = end
  }
  return text + message.slice(from)
}

function endOfQuoted(message: string, open: number): number {
  let at = message.indexOf('"', open + 1)
  while (at >= 0 && isEscaped(message, at)) at = message.indexOf('"', at + 1)
  return at < 0 ? -1 : at + 1
}

function isEscaped(message: string, at: number): boolean {
  let slashes = 0
  while (message[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}
