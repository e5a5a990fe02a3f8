/** Reading single fields from the raw head of a request: building the record of all fields costs more than a request needs. */

/** Finds a field in names and values in turn, as `node:http` lists them. */
export function fieldAt(raw: readonly string[], name: string, from: number): number {
  for (let index = from; index < raw.length; index += 2) {
    const found = raw[index]
    if (found !== undefined && found.length === name.length && found.toLowerCase() === name) return index
  }
  return -1
}

/** Counts how often a field was sent; `node:http` keeps the first of a repeated one without a sign. */
export function countFields(raw: readonly string[], name: string): number {
  let count = 0
  for (let index = fieldAt(raw, name, 0); index >= 0; index = fieldAt(raw, name, index + 2)) count++
  return count
}

/** A request, as far as its fields are concerned. */
interface Head {
  readonly rawHeaders: readonly string[]
  readonly headers: Readonly<Record<string, unknown>>
}

/**
 * Reads one field. How repeated ones are joined is for `node:http` to say; but of two `Authorization` it would keep the
 * first without a sign, and a proxy may have looked at the other: joined they are no credentials at all. Returns its
 * value, or `undefined`.
 */
export function readField(head: Head, name: string): string | undefined {
  const { rawHeaders } = head
  const index = fieldAt(rawHeaders, name, 0)
  if (index < 0) return undefined
  const next = fieldAt(rawHeaders, name, index + 2)
  if (next < 0) return rawHeaders[index + 1]
  if (name === 'authorization') return `${rawHeaders[index + 1]}, ${rawHeaders[next + 1]}`
  const value = head.headers[name]
  return Array.isArray(value) ? value.join(', ') : String(value)
}
