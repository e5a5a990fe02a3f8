/** First script of the console's page: connects shell, views and feed, and contains the requests. `second-script.ts` has the rest. */
import { isDialogOpen } from './dom/dialog.js'
import { h } from './dom/h.js'
import { liveRegion, say, toast } from './dom/notice.js'
import { emptyState } from './dom/parts.js'
import { FeedClient } from './live/feed.js'
import { Keeper } from './live/keeper.js'
import { Shelf } from './live/shelf.js'
import { Store } from './live/store.js'
import { areKeysEnabled, setTheme, showTheme, theme, THEMES } from './preferences.js'
import { formatAddress, isKnownAddress, parseAddress, type Address } from './pure/address.js'
import { capitalize } from './pure/palette.js'
import { togglePause } from './pure/reduce.js'
import { findCommand, type Command } from './pure/shortcuts.js'
import { VIEWS, type ViewName } from './pure/views.js'
import { clearAll, pinOpened } from './views/actions.js'
import type { View } from './views/context.js'
import type { FileOpener } from './views/open-file.js'
import type { RequestsContext, SecondScript } from './views/second-script-types.js'
import { RequestsView } from './views/requests.js'
import { Shell } from './views/shell.js'

const store = new Store()
const feed = new FeedClient(store)
const keeper = new Keeper(store, () => feed.isReader)
const shelf = new Shelf(store, keeper)
const chooseFile = (): void => opener?.choose()
const context: RequestsContext = {
  store,
  feed,
  shelf,
  address: () => address,
  go,
  filteredView,
  chooseFile,
  draft: null,
  focusedForm: null,
  secondScript: null,
}
const palette = (): void => context.secondScript?.openPalette(context)
const help = (): void => context.secondScript?.openHelp()
const shell = new Shell({ pause, palette, theme: nextTheme, help, poll: () => void feed.refresh() })

let opener: FileOpener | null = null
let address: Address = parseAddress(location.hash)
let view: View | null = null
let viewName: ViewName | null = null

function go(to: Partial<Address>, how: 'push' | 'replace' = 'push'): void {
  const hash = formatAddress(to)
  if (hash === location.hash) return
  // `location.hash` would send its event later, so the next key would still belong to the old address.
  if (how === 'push') history.pushState(VISITED, '', hash)
  else history.replaceState(VISITED, '', hash)
  handleNavigation()
}

/** State of history entries that this page has shown. An entry without it is an opened link, whose request is pinned. */
const VISITED = 'visited'
/** Id of the request whose link was opened, until the request is pinned. */
let linkedId: string | null = null

function noteOpenedLink(): void {
  const { view, id } = address
  if (history.state !== VISITED) {
    linkedId = view === 'requests' ? id : null
    history.replaceState(VISITED, '')
  } else if (id !== linkedId) linkedId = null
}

/** Runs after each change, because a link can be opened before its request is recorded. */
function pinOpenedLink(): void {
  const { records, boot } = store.state
  const summary = records.find(({ id }) => id === linkedId)
  if (linkedId === null || summary === undefined) return
  linkedId = null
  shelf.retry(summary.id)
  if (summary.boot === boot) void pinOpened(context, summary)
}

/** Handles links within the page, so that their entries have the state `VISITED`. */
function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#/"]') : null
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  if (link === null || !isPlain || event.defaultPrevented) return
  event.preventDefault()
  go(parseAddress(link.getAttribute('href') ?? ''))
}

function handleNavigation(): void {
  address = parseAddress(location.hash)
  if (!isKnownAddress(location.hash))
    toast(`There is no view at "${location.hash}"; this is ${capitalize(address.view)}`)
  filters.set(address.view, { ...address, id: null, tab: '' })
  noteOpenedLink()
  render()
}

/** Last filter of each view. */
const filters = new Map<ViewName, Partial<Address>>()

function filteredView(view: ViewName): Partial<Address> {
  return filters.get(view) ?? { view }
}

function render(): void {
  pinOpenedLink()
  if (view === null || viewName !== address.view) showView(address.view)
  const routes = shelf.routes()
  shell.update(store.state, address, {
    routes: routes.kind === 'ready' ? routes.value.routes.length : null,
    filteredView,
  })
  view?.update(store.state, address)
}

/** Message in place of a view that needs the second script. */
let missingText = 'Reading the view …'

function reportMissingScript(): void {
  missingText = 'A part of the page could not be loaded. Reload the page.'
  toast(missingText)
  render()
}

/** Until the second script has run, only the view of requests exists. */
function showView(name: ViewName): void {
  const isFirst = view === null
  view?.dispose?.()
  const NextView = name === 'requests' ? RequestsView : context.secondScript?.views[name]
  view = NextView === undefined ? null : new NextView(context)
  viewName = name
  shell.main.replaceChildren(view?.element ?? emptyState(missingText))
  if (!isFirst) shell.main.focus({ preventScroll: true })
}

function pause(): void {
  store.update(togglePause)
  say(store.state.paused ? 'Paused. What comes meanwhile is kept.' : 'Live again.')
}

function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length] ?? 'system'
  setTheme(next)
  shell.showTheme(next)
  say(`Theme: ${next}`)
}

const COMMANDS: Readonly<Partial<Record<Command, () => void>>> = {
  palette,
  help,
  theme: nextTheme,
  pause,
  clear: () => void clearAll(context),
  file: chooseFile,
}

/** Returns whether the command did something. */
function runCommand(command: Command): boolean {
  const name = command.startsWith('view-') ? VIEWS[Number(command.slice('view-'.length))] : undefined
  if (name !== undefined) go(filteredView(name))
  else if (COMMANDS[command] !== undefined) COMMANDS[command]?.()
  else return view?.command?.(command) ?? false
  return true
}

function handleKey(event: KeyboardEvent): void {
  const target = event.target instanceof Element ? event.target : document.body
  if (event.isComposing || event.defaultPrevented || isDialogOpen()) return
  const pressed = {
    key: event.key,
    ctrl: event.ctrlKey || event.metaKey,
    alt: event.altKey,
    isTyping: target.matches('input:not([type="checkbox"]), textarea, select'),
    isOnControl: target.matches('a, button, summary, input, [role="tab"], [role="group"]'),
    isOnPanel: target.matches('[tabindex="0"]') && target.scrollHeight > target.clientHeight,
  }
  const command = findCommand(pressed, areKeysEnabled())
  if (command !== null && runCommand(command)) event.preventDefault()
}

function start(): void {
  showTheme()
  const skip = (event: Event) => {
    event.preventDefault()
    shell.main.focus()
  }
  const skipLink = h('a', { class: 'skip btn primary', href: '#main', on: { click: skip } }, 'Skip to content')
  document.body.replaceChildren(skipLink, shell.element, liveRegion)
  addEventListener('hashchange', handleNavigation)
  addEventListener('keydown', handleKey)
  addEventListener('click', followLink)
  document.querySelector('script[src$="views.js"]')?.addEventListener('error', reportMissingScript)
  store.subscribe(render)
  feed.optionalEvents.set(['open'])
  feed.start()
  handleNavigation()
}

/** Connects the parts of the second script. */
export function addSecondScript(parts: SecondScript): void {
  context.secondScript = parts
  opener = new parts.FileOpener(context)
  document.body.append(opener.target)
  opener.listen()
  render()
}

start()
