/** Palette: search for views, routes and requests. A combobox with a list (ARIA Authoring Practices Guide). */
import { isDialogOpen, openDialog } from '../dom/dialog.js'
import { fill, h, setAttribute } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { paletteEntries, searchPalette, type PaletteEntry } from '../pure/palette.js'
import type { ViewContext } from './context.js'
import { clamp } from '../pure/geometry.js'

const MAX_RESULTS = 9

export function openPalette(context: ViewContext): void {
  if (isDialogOpen()) return
  const routes = context.shelf.routes()
  const listed = routes.kind === 'ready' ? routes.value.routes : []
  const entries = paletteEntries(listed, context.store.state.records, context.filteredView)
  const list = h('ul', { role: 'listbox', id: 'palette', 'aria-label': 'Found' })
  let matches: readonly PaletteEntry[] = []
  let chosen = 0
  const go = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return
    dialog.close()
    context.focusedForm = entry.icon === 'routes' ? (entry.address.id ?? null) : null
    context.go(entry.address)
  }
  const draw = () => {
    fill(
      list,
      matches.map((entry, index) => optionView(entry, { index, chosen, go: () => go(entry) })),
    )
    setAttribute(input, 'aria-activedescendant', matches.length === 0 ? null : `palette-${chosen}`)
  }
  const search = () => {
    matches = searchPalette(entries, input.value, MAX_RESULTS)
    chosen = 0
    draw()
  }
  const keydown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') go(matches[chosen])
    if (step === undefined) return
    event.preventDefault()
    chosen = clamp(chosen + step, 0, matches.length - 1)
    draw()
  }
  const input = h('input', {
    type: 'text',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'palette',
    'aria-label': 'Search views, routes, and requests',
    placeholder: 'Search views, routes, and requests',
    autocomplete: 'off',
    spellcheck: 'false',
    on: { input: search, keydown },
  })
  const dialog = openDialog('Jump to', 'pal', input, list)
  search()
  input.focus()
}

function optionView(
  { icon: name, text, note }: PaletteEntry,
  place: { readonly index: number; readonly chosen: number; readonly go: () => void },
): HTMLElement {
  const { index, chosen, go } = place
  return h(
    'li',
    { role: 'option', id: `palette-${index}`, 'aria-selected': String(index === chosen), on: { click: go } },
    icon(name),
    h('span', null, text),
    h('small', null, note),
  )
}
