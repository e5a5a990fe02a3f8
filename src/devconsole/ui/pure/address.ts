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
  /** Lowest level of the logs; default: all levels. */
  readonly level?: string
  /** Column by which the list of requests is sorted, descending after `-`; default: the newest first. */
  readonly sort?: string
}

/** Address without a hash. */
export const START: Address = { view: 'requests', id: null, tab: '', q: '' }

/** Parses a hash. Never throws. */
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
    ...optional('level', values.get('level')),
    ...optional('sort', values.get('sort')),
  }
}

function optional(name: 'level' | 'sort', value: string | null): Pick<Address, 'level' | 'sort'> {
  return value === null || value === '' ? {} : { [name]: value }
}

/** Whether a hash is empty or names a view. */
export function isKnownAddress(hash: string): boolean {
  const [view = ''] = hash
    .replace(/^#/, '')
    .split('?', 1)
    .join('')
    .split('/')
    .filter((part) => part !== '')
  return view === '' || isViewName(view)
}

/** Formats an address as a hash, with the `#`. */
export function formatAddress(address: Partial<Address>): string {
  const { view, id, tab, q, level = '', sort = '' } = { ...START, ...address }
  const values = new URLSearchParams()
  if (tab !== '') values.set('tab', tab)
  if (q !== '') values.set('q', q)
  if (level !== '') values.set('level', level)
  if (sort !== '') values.set('sort', sort)
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
