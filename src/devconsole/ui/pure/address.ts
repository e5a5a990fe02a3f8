/** The address of what is shown: it stands in the hash, so that back, forward and links work. */
import { isViewName, type ViewName } from './views.js'

/** What is shown. */
export interface Address {
  readonly view: ViewName
  /** Id of a record or a route; `null` for the list alone. */
  readonly id: string | null
  /** Tab of the detail. */
  readonly tab: string
  /** Filter of the list of requests. */
  readonly q: string
}

/** Where the page starts. */
export const START: Address = { view: 'requests', id: null, tab: '', q: '' }

/** Reads a hash. It never throws. */
export function parseAddress(hash: string): Address {
  const [path = '', ...query] = hash.replace(/^#/, '').split('?')
  const [view = '', ...rest] = path.split('/').filter((part) => part !== '')
  const values = new URLSearchParams(query.join('?'))
  const id = decodeAddressPart(rest.join('/'))
  return {
    view: isViewName(view) ? view : START.view,
    id: id === '' ? null : id,
    tab: values.get('tab') ?? '',
    q: values.get('q') ?? '',
  }
}

/** Writes a hash. Returns with `#`. */
export function formatAddress(address: Partial<Address>): string {
  const { view, id, tab, q } = { ...START, ...address }
  const values = new URLSearchParams()
  if (tab !== '') values.set('tab', tab)
  if (q !== '') values.set('q', q)
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
