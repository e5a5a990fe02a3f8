/** Frame of the views: header, navigation, and the note about the connection. */
import { fill, h, setAttribute, type Child } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { button, iconButton, textButton } from '../dom/parts.js'
import { readMeta } from '../live/api.js'
import { formatAddress, type Address } from '../pure/address.js'
import { span } from '../../../src/devconsole/wire/span.js'
import { formatBytes, clock, int } from '../pure/format.js'
import { capitalize } from '../pure/palette.js'
import { summarizePoints } from '../pure/performance.js'
import { countHeld } from '../pure/reduce.js'
import { isOfFile } from '../pure/runs.js'
import type { State } from '../pure/state.js'
import { VIEW_FACTS, VIEWS, type ViewName } from '../pure/views.js'
import { theme, type Theme } from '../preferences.js'
import { serverNow } from '../pure/server-clock.js'

/** Maximum time of a restart, in ms. After it, the app is reported as gone. */
const GONE_MS = 10_000

interface ShellActions {
  readonly pause: () => void
  readonly palette: () => void
  readonly theme: () => void
  readonly help: () => void
  readonly poll: () => void
}

interface NavFacts {
  /** Number of routes; `null` until they are read. */
  readonly routes: number | null
  /** Address of a view with its last filter. */
  readonly filteredView: (view: ViewName) => Partial<Address>
}

export class Shell {
  readonly element: HTMLElement
  /** Container of the current view. */
  readonly main: HTMLElement = h('main', { class: 'main', id: 'main', tabindex: '-1' })
  readonly #name: HTMLElement = h('span', { 'aria-hidden': 'true' })
  readonly #heading: HTMLElement = h('h1', { class: 'vh' })
  readonly #live: HTMLElement = h('span', { class: 'live' })
  readonly #pause: HTMLButtonElement
  readonly #theme: HTMLButtonElement
  readonly #note: HTMLElement = h('div', { class: 'status', role: 'status' })
  readonly #links = new Map<ViewName, { readonly element: HTMLAnchorElement; readonly count: HTMLElement }>()
  readonly #foot: HTMLElement = h('div', { class: 'foot' })
  readonly #actions: ShellActions
  #noted = ''
  #waiting: ReturnType<typeof setTimeout> | undefined

  constructor(actions: ShellActions) {
    this.#actions = actions
    this.#pause = button('pause', 'Pause', { 'aria-pressed': 'false', on: { click: actions.pause } })
    this.#theme = iconButton('light', 'Theme', { on: { click: actions.theme } })
    const glyph = h('span', { class: 'glyph' }, icon('command'))
    const path = h('span', { class: 'path', 'aria-hidden': 'true' }, location.pathname)
    const jump = button('search', 'Jump to', { class: 'btn wide', on: { click: actions.palette } })
    jump.append(h('kbd', null, 'Ctrl K'))
    const help = {
      class: 'btn icon wide',
      on: { click: actions.help },
      'aria-label': 'Keyboard shortcuts',
      title: 'Shortcuts (?)',
    }
    const header = h(
      'header',
      { class: 'top' },
      h('div', { class: 'brand' }, glyph, this.#heading, this.#name, path),
      h('span', { class: 'sp' }),
      this.#live,
      this.#pause,
      jump,
      this.#theme,
      h('button', { type: 'button', ...help }, '?'),
    )
    const nav = h(
      'nav',
      { class: 'nav', 'aria-label': 'Sections' },
      VIEWS.map((view) => this.#linkTo(view)),
      this.#foot,
    )
    this.element = h('div', { class: 'app' }, header, nav, this.#note, this.main)
  }

  update(state: State, address: Address, nav: NavFacts): void {
    this.#showName(state, address)
    this.#showLive(state)
    this.#showNav(state, address, nav)
    this.#showNote(state)
    this.showTheme(theme())
  }

  showTheme(name: Theme): void {
    if (this.#theme.dataset['theme'] === name) return
    this.#theme.dataset['theme'] = name
    setAttribute(this.#theme, 'aria-label', `Theme: ${name}`)
    setAttribute(this.#theme, 'title', `Theme: ${name} (t)`)
    fill(this.#theme, icon(name))
  }

  #linkTo(view: ViewName): HTMLElement {
    const count = h('span', { class: 'ct' })
    const element = h('a', { href: formatAddress({ view }) }, icon(view), h('span', null, capitalize(view)), count)
    this.#links.set(view, { element, count })
    return element
  }

  #showName(state: State, address: Address): void {
    const name = state.app?.name ?? readMeta('name')
    this.#name.textContent = name
    this.#heading.textContent = `Developer console of ${name}`
    const failed = state.records.filter(
      (record) => record['http.response.status_code'] >= 500 && !isOfFile(record),
    ).length
    document.title = `${failed === 0 ? '' : `(${failed}) `}${capitalize(address.view)} · ${name} ${location.pathname}`
  }

  #showLive(state: State): void {
    const { paused, link } = state
    const stateName = link === 'lost' ? 'disconnected' : link
    const text = capitalize(paused ? 'paused' : stateName)
    const rate = link === 'live' ? `${summarizePoints(state.points.slice(-3)).rate.toFixed(0)} req/s` : ''
    const figure = paused ? `${countHeld(state)} held` : rate
    this.#live.dataset['state'] = paused ? 'paused' : link
    fill(this.#live, h('span', { class: 'dot' }), h('b', null, text), h('span', { class: 'num' }, figure))
    if (this.#pause.getAttribute('aria-pressed') === String(paused)) return
    this.#pause.setAttribute('aria-pressed', String(paused))
    fill(this.#pause, icon(paused ? 'play' : 'pause'), h('span', { class: 'txt' }, paused ? 'Resume' : 'Pause'))
  }

  #showNav(state: State, address: Address, { routes, filteredView }: NavFacts): void {
    for (const [view, { element, count }] of this.#links) {
      const facts = VIEW_FACTS[view]
      const number = facts.count?.(state, routes) ?? 0
      setAttribute(element, 'aria-current', view === address.view ? 'page' : null)
      element.href = formatAddress(filteredView(view))
      count.textContent = number > 0 ? int(number) : ''
      count.classList.toggle('bad', facts.isAlarm === true && number > 0)
    }
    fill(this.#foot, footer(state))
  }

  #showNote(state: State): void {
    const { link, linked } = state
    const isGone = hasGone(state)
    const noted = `${link} ${linked} ${isGone}`
    if (noted === this.#noted || (link === 'live' && this.#noted.startsWith('live'))) return
    this.#noted = noted
    fill(this.#note, connectionNote(state, this.#actions.poll))
    // The note must also change if the page receives no events.
    clearTimeout(this.#waiting)
    if (state.goneSince > 0 && !isGone) this.#waiting = setTimeout(() => this.#showNote(state), GONE_MS)
  }
}

/** Whether the app has been unavailable for too long to be restarting. */
function hasGone({ goneSince }: State): boolean {
  return goneSince > 0 && serverNow() - goneSince >= GONE_MS
}

function connectionNote(state: State, poll: () => void): Child {
  const { link, linked, goneSince } = state
  const since = linked === 0 ? '' : ` What is shown is from ${clock(linked)[0]}.`
  if (hasGone(state)) {
    const text = `The app is gone since ${clock(goneSince)[0].slice(0, 5)}. Start it again, and the page goes on.`
    return h('div', { class: 'banner bad' }, text, textButton('Try now', poll))
  }
  if (link === 'lost') {
    return h(
      'div',
      { class: 'banner bad' },
      `The app does not respond; trying again.${since}`,
      textButton('Try now', poll),
    )
  }
  if (link === 'restarting') return h('div', { class: 'banner' }, 'The app is restarting.')
  if (link === 'locked') {
    return h('div', { class: 'banner bad' }, 'The app wants a new token: open the link that it printed at its start.')
  }
  if (link !== 'polling') return null
  const text = 'Four other windows watch this app, so this one asks every few seconds.'
  return h('div', { class: 'banner' }, text, textButton('Update now', poll))
}

function footer({ processes, buffer, app }: State): Child {
  const share = buffer.maxCount === 0 ? 0 : Math.min(1, buffer.count / buffer.maxCount)
  const up = processes[0] === undefined ? '' : `up ${span(serverNow() - processes[0].started)}`
  return [
    processes.map(({ pid }) =>
      h('div', { class: 'proc' }, h('i'), h('span', { class: 'mono' }, `only process ${pid}`)),
    ),
    h(
      'div',
      { title: `${formatBytes(buffer.bytes)} of ${formatBytes(buffer.maxBytes)}` },
      h(
        'div',
        { class: 'row' },
        h('span', null, 'Stored'),
        h('span', { class: 'num' }, `${buffer.count} / ${buffer.maxCount}`),
      ),
      h('div', { class: 'meter' }, h('span', { css: { '--v': `${share * 100}%` } })),
    ),
    h(
      'div',
      { class: 'row' },
      h('span', null, app === null ? '' : `Node ${app.node}`),
      h('span', { class: 'num' }, up),
    ),
  ]
}
