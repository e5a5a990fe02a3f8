/** Secrets in a JSON text, by the names of members and the form of values. */
import type { Hides } from '../../observe/redact.js'
import { REDACTED } from '../../observe/secrets.js'

/**
 * Takes secrets out of a JSON text. Returns the text as it was where it holds none, else written anew; `null` when it
 * is no JSON.
 */
export function hideJson(text: string, hides: Hides): string | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (!holdsSecret(parsed, hides) && isAllOf(text, parsed, hides)) return text
    return JSON.stringify(parsed, (key, value: unknown) => member(key, value, hides))
  } catch {
    return null
  }
}

function holdsSecret(value: unknown, hides: Hides): boolean {
  if (typeof value === 'string') return hides.hide(value) !== value
  if (typeof value === 'number') return hides.values?.isNumber(value) === true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((each) => holdsSecret(each, hides))
  return Object.entries(value).some(
    ([key, each]) => hides.isKey(key) || shownName(key, hides) !== key || holdsSecret(each, hides),
  )
}

/** Of two members with one name only the second was looked at: it tells of the first that the text written anew is another. */
function isAllOf(text: string, parsed: unknown, hides: Hides): boolean {
  return JSON.stringify(parsed) === text || hides.hide(text) === text
}

function member(key: string, value: unknown, hides: Hides): unknown {
  if (key !== '' && hides.isKey(key)) return REDACTED
  if (typeof value === 'number' && hides.values?.isNumber(value) === true) return REDACTED
  if (typeof value === 'string') return hides.hide(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([name, each]) => [shownName(name, hides), each] as const)
  return Object.fromEntries(entries)
}

/** A client may send a secret as the name of a member. */
function shownName(name: string, { values }: Hides): string {
  return values?.hide(name) ?? name
}
