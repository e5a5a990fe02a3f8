/** From the options of a call to a request of the Fetch standard. */
import type { CallOptions, HeaderValues } from './ask-types.js'

/** What a call may be given, whatever its contract. */
export interface Given extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** How the body of the answer is taken. */
  readonly as?: 'text' | 'bytes' | 'stream'
}

/** Bodies of the Fetch standard. */
type WebBody = NonNullable<ConstructorParameters<typeof Response>[0]>

/** Named once, for the size of the client. */
export const CONTENT_TYPE = 'content-type'

/** The header fields of a call replace those of the client. */
export function makeRequest(url: string, method: string, common: HeaderValues | undefined, given: Given): Request {
  const { params = {}, signal, timeout } = given
  const headers = new Headers()
  for (const [name, text] of [...textsOf(common), ...textsOf(given.headers)]) headers.set(name, text)
  const query = `${new URLSearchParams(textsOf(given.query))}`
  const body = bodyOf(given.body, headers)
  return new Request(fill(url, params) + (query && `?${query}`), {
    ...{ method, headers, body },
    signal: AbortSignal.any([signal ?? [], timeout ? AbortSignal.timeout(timeout) : []].flat()),
    // A stream as a body needs it.
    duplex: 'half',
  })
}

/** A segment that is empty or made of dots would be taken out of the URL, and lead to another path. */
function fill(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replace(/{([^.}]+)(\.*)}/g, (_, name: string, dots: string) => {
    const value = `${params[name] ?? ''}`
    const parts = dots ? value.split('/') : [value]
    if (parts.every((part) => /[^.]|\.{3}/.test(part))) return parts.map(encodeURIComponent).join('/')
    throw new TypeError(`Cannot fill "${name}": "${value}" leads elsewhere`)
  })
}

/** What is not there is left out, lists are repeated names, and dates are written as in JSON. */
function textsOf(values: object = {}): [name: string, text: string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, `${each.toJSON?.() ?? each}`]),
  )
}

/** JSON, unless the media type says something else. */
function bodyOf(value: unknown, headers: Headers): WebBody | null {
  if (value === undefined) return null
  const type = headers.get(CONTENT_TYPE) ?? 'application/json'
  headers.set(CONTENT_TYPE, type)
  if (type.includes('json')) return JSON.stringify(value)
  // Proof: by its type a call gives a text, bytes or a stream where it names a media type that is neither JSON nor a form.
  return type.includes('urlencoded') ? new URLSearchParams(textsOf(Object(value))) : (value as WebBody)
}
