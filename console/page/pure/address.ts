/** Address of a view, in the hash of the URL, so that back, forward and links work. */
import { isViewName, type ViewName } from './views.js'

export interface Address {
  readonly view: ViewName
  /** Id of the record or route in the detail; `null` without a detail. */
  readonly id: string | null
  /** Tab of the detail. */
  readonly tab: string
  /** Filter of the view. */
  readonly q: string
  /** Level of the logs; empty for all. */
  readonly level: string
  /** Column by which the list of requests is sorted, descending after `-`; empty for the newest first. */
  readonly sort: string
}

/** Address without a hash. */
export const START: Address = { view: 'requests', id: null, tab: '', q: '', level: '', sort: '' }

/** Parses a hash. Never throws. */
export function parseAddress(hash: string): Address {
  const [view = '', ...rest] = splitPath(hash)
  const values = new URLSearchParams(hash.split('?').slice(1).join('?'))
  const read = (name: string) => values.get(name) ?? ''
  const id = hasDetails(view) ? decodeAddressPart(rest.join('/')) : ''
  return {
    view: isViewName(view) ? view : START.view,
    id: id === '' ? null : id,
    tab: read('tab'),
    q: read('q'),
    level: read('level'),
    sort: read('sort'),
  }
}

/** Whether a hash is empty, or names a view or a detail of it. */
export function isKnownAddress(hash: string): boolean {
  const [view, ...rest] = splitPath(hash)
  return view === undefined || (isViewName(view) && (rest.length === 0 || hasDetails(view)))
}

function splitPath(hash: string): readonly string[] {
  const [path = ''] = hash.replace(/^#/, '').split('?')
  return path.split('/').filter(Boolean)
}

function hasDetails(view: string): boolean {
  return view === 'requests' || view === 'routes'
}

/** Formats an address as a hash, with the `#`. */
export function formatAddress(address: Partial<Address>): string {
  const { view, id, tab, q, level, sort } = { ...START, ...address }
  const values = new URLSearchParams()
  for (const [name, value] of Object.entries({ tab, q, level, sort })) if (value !== '') values.set(name, value)
  const query = values.size === 0 ? '' : `?${values.toString()}`
  return `#/${view}${id === null ? '' : `/${encodeURIComponent(id)}`}${query}`
}

function decodeAddressPart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
