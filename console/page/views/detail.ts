/** Detail of a request: its summary, actions and tabs. */
import type { ShownRecord } from '../../../src/devconsole/wire/view-types.js'
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import { MAX_OF_GROUP } from '../../../src/devconsole/wire/retention.js'
import { keepFocus } from '../dom/focus.js'
import { fill, h, type Child } from '../dom/h.js'
import { icon } from '../dom/icons.js'
import { toast } from '../dom/notice.js'
import {
  button,
  emptyState,
  methodMark,
  emptyMessage,
  pathMark,
  secondaryText,
  statusMark,
  textButton,
} from '../dom/parts.js'
import type { ApiError } from '../live/api.js'
import { formatAddress, type Address } from '../pure/address.js'
import { formatBytes, clock, ms } from '../pure/format.js'
import { isSame } from '../pure/same.js'
import { originalId } from '../pure/list.js'
import { isOfFile } from '../pure/runs.js'
import type { Command } from '../pure/shortcuts.js'
import { MAX_RECORDS, type State } from '../pure/state.js'
import { copy, edit, togglePin, replay } from './actions.js'
import type { RequestsContext } from './second-script-types.js'
import { copyMenu } from './copy-menu.js'
import { TabBar } from './tab-bar.js'
import { tabPanel, tabsFor } from './tabs/tabs.js'
import type { TryIt } from './try-it.js'

export class Detail {
  readonly element: HTMLElement = h('section', { class: 'pane detail', 'aria-label': 'Request', hidden: true })
  readonly #context: RequestsContext
  readonly #head: HTMLElement = h('div', { class: 'dh' })
  readonly #facts: HTMLElement = h('div', null)
  readonly #tabs: TabBar
  readonly #panel: HTMLElement
  #summary: RequestSummary | null = null
  #shown: readonly unknown[] = []
  #shownFacts: readonly unknown[] = []
  /** Id of the request whose long target is not cut off. */
  #unfoldedId = ''
  readonly #unfold: HTMLButtonElement = textButton('Show all', () => this.#showWhole(), 'link')
  /** Form of a request without an endpoint, with the values that the user entered; `null` until its tab is opened. */
  #form: { readonly id: string; readonly form: TryIt } | null = null

  constructor(context: RequestsContext) {
    this.#context = context
    this.#tabs = new TabBar('Request', (tab) => context.go({ ...context.address(), tab }, 'replace'))
    this.#panel = h('div', { class: 'db', role: 'tabpanel', id: 'panel', tabindex: '0' })
    this.#head.append(this.#facts, this.#tabs.element)
    new ResizeObserver(() => this.#showUnfold()).observe(this.#head)
  }

  /** Shows the request of the address. */
  update(state: State, address: Address): void {
    const { id } = address
    this.element.hidden = id === null
    if (id === null) {
      this.#summary = null
      this.#shown = []
      return
    }
    const listed = state.records.find((record) => record.id === id) ?? null
    const isOpen = listed === null && state.open.some((call) => call.id === id)
    const loadedRecord = this.#load(id, isOpen)
    const record = loadedRecord.kind === 'ready' ? loadedRecord.value : null
    const summary = listed ?? record
    const next = [
      id,
      summary,
      record,
      address.tab,
      loadedRecord.kind,
      address.q,
      isOpen,
      state.boot,
      this.#context.secondScript,
    ]
    if (isSame(next, this.#shown)) return
    const isOther = this.#shown[0] !== id
    this.#shown = next
    this.#summary = summary
    const error = loadedRecord.kind === 'failed' ? loadedRecord.error : null
    if (summary === null) this.#showMissing(id, isOpen, error)
    else this.#show({ summary, record, failure: error && error.message }, address)
    if (isOther && matchMedia('(max-width: 760px)').matches) this.focus()
  }

  /** Focuses the heading. */
  focus(): void {
    this.element.querySelector('h2')?.focus()
  }

  command(command: Command): boolean {
    const summary = this.#summary
    if (summary === null) return false
    if (command === 'replay') this.#replay(summary)
    else if (command === 'edit') void edit(this.#context, summary)
    else if (command === 'copy') void copy(this.#context, summary, 'cURL')
    else if (command === 'pin' && !this.#isEarlier(summary)) void togglePin(this.#context, summary)
    else return false
    return true
  }

  #replay(summary: RequestSummary): void {
    if (isOfFile(summary)) toast('A request from a file is not replayed: use Edit and resend')
    else void replay(this.#context, summary)
  }

  #load(id: string, isOpen: boolean): ReturnType<RequestsContext['shelf']['record']> {
    return isOpen ? NOT_YET : this.#context.shelf.record(id)
  }

  #showMissing(id: string, isOpen: boolean, error: ApiError | null): void {
    if (!isOpen && error === null) {
      fill(this.element, emptyState('Reading the request …'))
      return
    }
    const text = isOpen ? 'The response is not complete yet.' : missingText(error, isOfFile({ boot: id }))
    const back = formatAddress({ q: this.#context.address().q })
    fill(this.element, emptyState(text, h('a', { class: 'btn', href: back }, 'Back to the list')))
  }

  #show(shown: DetailState, address: Address): void {
    const { summary, record, failure } = shown
    const tabs = tabsFor(summary, address.tab)
    const tab = tabs.find((it) => it.id === address.tab)?.id ?? 'overview'
    const back = formatAddress({ ...address, id: null, tab: '' })
    const facts = [summary, back, this.#context.store.state.boot]
    // A dialog returns the focus to its button, so later data must not replace the button.
    if (!isSame(facts, this.#shownFacts)) {
      this.#shownFacts = facts
      keepFocus(this.#facts, () =>
        fill(this.#facts, titleLine(summary, back), this.#unfold, factLine(summary), this.#actions(summary)),
      )
    }
    this.#head.classList.toggle('cut', this.#unfoldedId !== summary.id)
    this.#panel.setAttribute('aria-labelledby', `tab-${tab}`)
    const top = this.#panel.dataset['of'] === `${summary.id} ${tab}` ? this.#panel.scrollTop : 0
    this.#panel.dataset['of'] = `${summary.id} ${tab}`
    const note = failure !== null && emptyMessage(`Only the summary is left of this request. ${failure}.`)
    const source = { summary, record, isGone: failure !== null, context: this.#context }
    const { secondScript } = this.#context
    const isForm = tab === 'edit' && record !== null
    const content = isForm ? this.#formFor(record) : tabPanel(tab, source, secondScript)
    keepFocus(this.#panel, () => fill(this.#panel, note, content))
    this.#panel.scrollTop = top
    if (this.#panel.parentElement === null || !this.element.contains(this.#panel)) {
      fill(this.element, this.#head, this.#panel)
    }
    this.#showUnfold()
    // The last step, because a tab can only be scrolled into view after it is in the page.
    this.#tabs.show(tabs, tab)
  }

  #formFor(record: ShownRecord): HTMLElement | null {
    const { secondScript } = this.#context
    if (secondScript === null) return null
    if (this.#form?.id !== record.id) {
      const form = new secondScript.TryIt({ context: this.#context, route: null, document: {}, draft: record })
      this.#form = { id: record.id, form }
    }
    return this.#form.form.element
  }

  /** Shows the button only if the target has more than three lines, which depends on the width. */
  #showUnfold(): void {
    const heading = this.#facts.querySelector('h2')
    const isCut = heading !== null && heading.scrollHeight > heading.clientHeight + 1
    this.#unfold.hidden = !isCut
  }

  #showWhole(): void {
    this.#unfoldedId = this.#summary?.id ?? ''
    this.#head.classList.remove('cut')
    this.#showUnfold()
    this.focus()
  }

  /** Whether the request is from an earlier run or from a file. */
  #isEarlier({ boot }: RequestSummary): boolean {
    return boot !== this.#context.store.state.boot
  }

  /**
   * A request from a file is not replayed, so that nothing is sent by accident. A request of an earlier run cannot be pinned, because the
   * app does not have it.
   */
  #actions(summary: RequestSummary): HTMLElement {
    const context = this.#context
    const on = (act: () => Promise<void>) => ({ click: () => void act() })
    const resend = { title: 'Send the same request again (r)', on: on(() => replay(context, summary)) }
    return h(
      'div',
      { class: 'acts' },
      isOfFile(summary) ? secondaryText('From a file') : button('replay', 'Replay', resend),
      button('edit', 'Edit and resend', { title: 'Edit and resend (e)', on: on(() => edit(context, summary)) }),
      copyMenu(context, summary),
      !this.#isEarlier(summary) &&
        button('pin', summary['dev.pinned'] ? 'Pinned' : 'Pin', {
          title: 'Keep stored (p)',
          'aria-pressed': String(summary['dev.pinned']),
          on: on(() => togglePin(context, summary)),
        }),
    )
  }
}

/** A request in progress is not recorded. */
const NOT_YET = { kind: 'loading' } as const

function missingText(error: ApiError | null, isFile: boolean): string {
  if (isFile) return 'This request is from a file. Open the file again to see it.'
  return error?.status === 404
    ? `This request is no longer stored. The app stores the newest ${MAX_RECORDS}, ${MAX_OF_GROUP} failed and rejected ones each, and those that are pinned.`
    : 'The request could not be read: the app does not respond.'
}

interface DetailState {
  readonly summary: RequestSummary
  readonly record: ShownRecord | null
  readonly failure: string | null
}

function titleLine(summary: RequestSummary, back: string): HTMLElement {
  const path = pathMark(summary['url.path'], summary['http.route'], summary['url.query'])
  return h(
    'div',
    { class: 't' },
    h('a', { class: 'btn icon ghost only-n', href: back, 'aria-label': 'Back to the list' }, icon('back')),
    h('h2', { tabindex: '-1' }, methodMark(summary['http.request.method']), ' ', path),
    h('a', { class: 'btn icon ghost wide', href: back, 'aria-label': 'Close', title: 'Close (Esc)' }, icon('close')),
  )
}

function factLine(summary: RequestSummary): HTMLElement {
  const sizes = `${formatBytes(summary['http.request.body.size'])} in, ${formatBytes(summary['http.response.body.size'])} out`
  return h(
    'div',
    { class: 'facts num' },
    statusMark(summary['http.response.status_code'], true),
    h('span', null, ms(summary['dev.duration'])),
    h('span', null, sizes),
    h('span', null, clock(summary.time).join('')),
    h('span', { class: 'mono dim' }, summary.id),
    replayNote(summary),
  )
}

function replayNote(summary: RequestSummary): Child {
  const original = originalId(summary)
  if (original === null) return null
  return h('span', null, 'replay of ', h('a', { class: 'link mono', href: formatAddress({ id: original }) }, original))
}
