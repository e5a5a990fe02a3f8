/** Reading fields from the raw head of a request: `node:http` would build a record of all of them, which costs more than a request needs. */

/** Finds a field in names and values in turn, as `node:http` lists them; -1 when it is not there. */
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
 * Reads one field. How repeated ones are joined is for `node:http` to say; but of two `Authorization` it would keep the first, and a
 * proxy may have looked at the other: joined they are no credentials at all.
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

/** The fields that decide how a request is read and how its connection goes on. */
export class HeadFields {
  /** How often `Host` was sent, and what the last said. */
  hosts = 0
  host = ''
  /** How often `Content-Type` was sent. */
  contentTypes = 0
  /** 0 without `Content-Length`. */
  contentLength = 0
  transferEncoding: string | undefined = undefined
  hasUpgrade = false
}

/** Most other names have another length, and need not be made lower case. */
const LENGTHS: ReadonlySet<number> = new Set(
  ['host', 'upgrade', 'content-type', 'content-length', 'transfer-encoding'].map(({ length }) => length),
)

/** Reads them in one pass: a search for each would cost more. */
export function readHead(raw: readonly string[]): HeadFields {
  const head = new HeadFields()
  for (let at = 0; at < raw.length; at += 2) {
    const { [at]: name = '', [at + 1]: value = '' } = raw
    switch (LENGTHS.has(name.length) ? name.toLowerCase() : '') {
      case 'host':
        head.hosts++
        head.host = value
        break
      case 'content-type':
        head.contentTypes++
        break
      case 'content-length':
        head.contentLength = Number(value)
        break
      case 'transfer-encoding':
        head.transferEncoding = head.transferEncoding === undefined ? value : `${head.transferEncoding}, ${value}`
        break
      case 'upgrade':
        head.hasUpgrade = true
    }
  }
  return head
}
