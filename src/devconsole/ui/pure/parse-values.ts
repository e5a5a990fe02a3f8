/** Reads values of unknown JSON, such as files. Values of another type are replaced, so that the rest can still be shown. */

/** Maximum number of members of a list or an object. */
const MAX_MEMBERS = 2_000

type Parse<Value> = (value: unknown) => Value

export function textOr<Otherwise>(value: unknown, otherwise: Otherwise): string | Otherwise {
  return typeof value === 'string' ? value : otherwise
}

/** A finite number that is not negative. */
export function numberOr<Otherwise>(value: unknown, otherwise: Otherwise): number | Otherwise {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : otherwise
}

/** Members that the function can parse; it returns `null` for others. */
export function parseList<Item>(value: unknown, parse: Parse<Item | null>): Item[] {
  const items = Array.isArray(value) ? value.slice(0, MAX_MEMBERS) : []
  return items.map((item: unknown) => parse(item)).filter((item) => item !== null)
}

export function parseStrings(value: unknown): string[] {
  return parseList(value, (item) => textOr(item, null))
}
