/** Names the faults of an app from the JSON of `verbena last`, `requests` and `request`, as a coding agent would. */
import type { ShownRequest } from '#src/devconsole/wire/describe-record.js'
import type { CodePlace } from '#src/devconsole/wire/request-types.js'

export interface NamedFault {
  readonly kind: 'failed start' | 'failed query' | 'exception' | 'wrong response' | 'query per row' | 'slow call'
  /** Method and path template; `null` for a start. */
  readonly request: string | null
  /** `src/app.js:12`. */
  readonly place: string
}

/**
 * Returns the faults of a running or failed app, each once, sorted by their places.
 *
 * @param read runs a command, and returns its output
 */
export async function nameFaults(read: (...args: readonly string[]) => Promise<string>): Promise<NamedFault[]> {
  const last = JSON.parse(await read('last', '--json'))
  const rows: { readonly id: string; readonly flags: readonly string[] }[] = JSON.parse(
    await read('requests', '--json'),
  )
  const faults: NamedFault[] = last?.kind === 'start' ? [toFault('failed start', null, last.place)] : []
  for (const { id } of rows.filter(({ flags }) => flags.length > 0)) {
    const request: ShownRequest = JSON.parse(await read('request', id, '--json'))
    faults.push(nameFault(request))
  }
  const once = new Map(faults.map((fault) => [JSON.stringify(fault), fault]))
  return [...once.values()].toSorted((one, other) => (one.place < other.place ? -1 : 1))
}

function nameFault(request: ShownRequest): NamedFault {
  const { queries, errors, issues, flags, calls, place } = request
  const name = `${request.method} ${request.route}`
  const failed = queries.find(({ error }) => error !== null)
  if (failed !== undefined) return toFault('failed query', name, failed.site)
  if (issues.some(({ side }) => side === 'response')) return toFault('wrong response', name, place)
  if (errors.length > 0) return toFault('exception', name, place)
  if (flags.includes('n+1')) {
    const repeated = queries.find(({ text }, at) => queries.some((other, index) => index > at && other.text === text))
    return toFault('query per row', name, calls[Number(repeated?.call)]?.site ?? repeated?.site ?? place)
  }
  const [slowest] = [...calls].toSorted((one, other) => other.own - one.own)
  return toFault('slow call', name, slowest?.site ?? place)
}

function toFault(kind: NamedFault['kind'], request: string | null, place: CodePlace | null): NamedFault {
  return { kind, request, place: `${place?.file}:${place?.line}` }
}
