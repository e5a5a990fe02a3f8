/** Takes what a client sent back out of the messages that libraries make of it. */
import { isObject } from './record.js'

const HIDDEN = '"..."'
const QUOTED = /"(?:[^"\\]|\\.)*"/g

/**
 * Replaces quoted text of the refused value in a message: several libraries write what they received, and that may be
 * a password on its way to a log. Numbers and words without quotes stay, since they cannot be told from the rule itself.
 *
 * @param message text of an issue
 * @param value the value at the path of the issue
 * @returns the message without strings of the value
 */
export function redact(message: string, value: unknown): string {
  if (!message.includes('"')) return message
  if (typeof value === 'string') return hideText(message, value)
  return isObject(value) ? hideStrings(message, value) : message
}

// Some libraries escape what they quote, some do not.
function hideText(message: string, text: string): string {
  return message.replaceAll(JSON.stringify(text), HIDDEN).replaceAll(`"${text}"`, HIDDEN)
}

// One pass over the message, however many strings the value holds: the time is linear in what the client sent.
function hideStrings(message: string, value: object): string {
  const strings = stringsIn(value)
  return message.replaceAll(QUOTED, (quoted) => (strings.has(quoted) ? HIDDEN : quoted))
}

function stringsIn(value: object): ReadonlySet<string> {
  const found = new Set<string>()
  const seen = new Set<object>([value])
  for (const holder of seen) {
    for (const member of Object.values(holder)) {
      if (typeof member === 'string') found.add(JSON.stringify(member))
      else if (isObject(member)) seen.add(member)
    }
  }
  return found
}
