/** The address of what is shown: it stands in the hash, so that back, forward and links work. */
import { isViewName, type ViewName } from './views.js'

/** What is shown. */
export interface Address {
  readonly view: ViewName
  /** Id of a record or a route; `null` for the list alone. */
  readonly id: string | null
  /** Tab of the detail. */
  readonly tab: string
  /** Filter of the view. */
  readonly q: string
  /** Level of the logs; missing for all. */
  readonly level?: string
  /** Column by which the list of requests is sorted, descending after `-`; missing for the newest first. */
  readonly sort?: string
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

/** Writes a hash. Returns with `#`. */
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
