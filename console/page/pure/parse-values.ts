/** Parses values of unknown JSON, such as files. Values of a wrong type are replaced, so that the others can still be shown. */

/** Maximum number of items of a list. */
const MAX_ITEMS = 2_000

type Parse<Value> = (value: unknown) => Value

export function textOr<Fallback>(value: unknown, fallback: Fallback): string | Fallback {
  return typeof value === 'string' ? value : fallback
}

/** Returns a finite number that is not negative, or the fallback. */
export function numberOr<Fallback>(value: unknown, fallback: Fallback): number | Fallback {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : fallback
}

/** Parses the items of a list. Items for which `parse` returns `null` are omitted. */
export function parseList<Item>(value: unknown, parse: Parse<Item | null>): Item[] {
  const items = Array.isArray(value) ? value.slice(0, MAX_ITEMS) : []
  return items.map((item: unknown) => parse(item)).filter((item) => item !== null)
}

export function parseStrings(value: unknown): string[] {
  return parseList(value, (item) => textOr(item, null))
}
