/** Entries of the palette, and their search. */
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import type { RouteInfo } from '../../../src/devconsole/wire/view-types.js'
import type { Address } from './address.js'
import { ms } from './format.js'
import { VIEWS, type ViewName } from './views.js'

export interface PaletteEntry {
  readonly icon: ViewName
  readonly text: string
  readonly note: string
  /** Further ids that the search matches. */
  readonly ids?: string
  readonly address: Partial<Address>
}

export function paletteEntries(
  routes: readonly RouteInfo[],
  records: readonly RequestSummary[],
  filteredView: (view: ViewName) => Partial<Address>,
): readonly PaletteEntry[] {
  const views = VIEWS.map((view): PaletteEntry => {
    return { icon: view, text: capitalize(view), note: 'View', address: filteredView(view) }
  })
  const endpoints = routes.map(({ id, method, template }): PaletteEntry => {
    return { icon: 'routes', text: `${method} ${template}`, note: id, address: { view: 'routes', id } }
  })
  const requests = records.map((record): PaletteEntry => {
    const text = `${record['http.response.status_code']} ${record['http.request.method']} ${record['url.path']}`
    const ids = record['dev.requestId'] ?? ''
    return { icon: 'requests', text, note: ms(record['dev.duration']), address: { id: record.id }, ids }
  })
  return [...views, ...endpoints, ...requests]
}

export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Finds entries whose text, note or ids contain all words. Entries whose text begins with the first word come first. */
export function searchPalette(entries: readonly PaletteEntry[], text: string, limit: number): readonly PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = entries.filter(({ text, note, address, ids = '' }) => {
    const searched = `${text} ${note} ${address.id ?? ''} ${ids}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  const isFirst = (entry: PaletteEntry) => words[0] !== undefined && entry.text.toLowerCase().startsWith(words[0])
  return [...matches.filter(isFirst), ...matches.filter((entry) => !isFirst(entry))].slice(0, limit)
}
