/** Tables of statements and service methods in the performance view. */
import type { CallStats, ServiceStats, StatementStats } from '../../../src/devconsole/wire/view-types.js'
import { keepFocus } from '../dom/focus.js'
import { fill, h, type Child } from '../dom/h.js'
import { card, emptyState, secondaryText } from '../dom/parts.js'
import { sortHead, type SortColumn, type Sorting } from '../dom/sort-head.js'
import { api } from '../live/api.js'
import { formatAddress } from '../pure/address.js'
import { meanDuration, sortServices, sortStatements, type ServiceSort, type StatementSort } from '../pure/call-stats.js'
import { int, ms } from '../pure/format.js'
import { compactText } from './query-parts.js'

const REFRESH_MS = 2_000

const STATEMENT_COLUMNS: readonly SortColumn<StatementSort>[] = [
  ['text', 'Statement', '', true],
  ['count', 'Count', '', false],
  ['errors', 'Errors', 'opt', false],
  ['rows', 'Rows', 'opt', false],
  ['mean', 'Mean', 'opt', false],
  ['max', 'Max', 'opt2', false],
  ['total', 'Total', '', false],
]

const SERVICE_COLUMNS: readonly SortColumn<ServiceSort>[] = [
  ['name', 'Method', '', true],
  ['count', 'Count', '', false],
  ['errors', 'Errors', 'opt', false],
  ['max', 'Max', 'opt', false],
  ['total', 'Total', 'opt2', false],
  ['own', 'Own time', '', false],
]

const NOTE = 'of recorded requests, since the start or the last clearing'

const NO_QUERIES =
  'Requests through fetch and node:http are found without a setting, and some drivers report their queries. The guide "Queries" has adapters for the other drivers.'

/** Statements and service methods of recorded requests. They are read every two seconds, unless the page is paused or hidden. */
export class CallTables {
  readonly elements: readonly HTMLElement[]
  readonly #statements: HTMLElement = h('div', {
    class: 'tbl',
    tabindex: '0',
    role: 'region',
    'aria-label': 'Statements',
  })
  readonly #services: HTMLElement = h('div', {
    class: 'tbl',
    tabindex: '0',
    role: 'region',
    'aria-label': 'Service methods',
  })
  readonly #note: HTMLElement = h('p', null, NOTE)
  readonly #isPaused: () => boolean
  readonly #timer: ReturnType<typeof setInterval>
  #stats: CallStats | null = null
  #shown = ''
  #byStatement: Sorting<StatementSort> = { key: 'total', isReversed: false }
  #byMethod: Sorting<ServiceSort> = { key: 'own', isReversed: false }

  constructor(isPaused: () => boolean) {
    this.#isPaused = isPaused
    this.elements = [
      card('w12', 'Statements', this.#note, this.#statements),
      card('w12', 'Service methods', NOTE, this.#services),
    ]
    this.#timer = setInterval(() => void this.#refresh(), REFRESH_MS)
    void this.#read()
  }

  dispose(): void {
    clearInterval(this.#timer)
  }

  async #refresh(): Promise<void> {
    if (!this.#isPaused() && document.visibilityState === 'visible') await this.#read()
  }

  /** If the app does not respond, the last figures stay, and the shell reports that the app is unavailable. */
  async #read(): Promise<void> {
    const stats = await api.calls().catch(() => null)
    const text = JSON.stringify(stats)
    if (stats === null || text === this.#shown) return
    this.#stats = stats
    this.#shown = text
    this.#draw()
  }

  #draw(): void {
    const stats = this.#stats
    if (stats === null) return
    const { dropped } = stats
    this.#note.textContent = dropped === 0 ? NOTE : `${NOTE}; ${int(dropped)} calls are not in the tables`
    keepFocus(this.#statements, () => fill(this.#statements, this.#statementTable(stats.statements)))
    keepFocus(this.#services, () => fill(this.#services, this.#serviceTable(stats.services)))
  }

  #statementTable(statements: readonly StatementStats[]): Child {
    if (statements.length === 0) return emptyState('No queries yet', secondaryText(NO_QUERIES))
    const choose = (sorting: Sorting<StatementSort>) => {
      this.#byStatement = sorting
      this.#draw()
    }
    const { key, isReversed } = this.#byStatement
    const heads = STATEMENT_COLUMNS.map((column) => sortHead(column, this.#byStatement, choose))
    return table('Statements', heads, sortStatements(statements, key, isReversed).map(statementRow))
  }

  #serviceTable(services: readonly ServiceStats[]): Child {
    if (services.length === 0) return emptyState('No service calls yet')
    const choose = (sorting: Sorting<ServiceSort>) => {
      this.#byMethod = sorting
      this.#draw()
    }
    const { key, isReversed } = this.#byMethod
    const heads = SERVICE_COLUMNS.map((column) => sortHead(column, this.#byMethod, choose))
    return table('Service methods', heads, sortServices(services, key, isReversed).map(serviceRow))
  }
}

function table(label: string, heads: readonly HTMLElement[], rows: readonly HTMLElement[]): HTMLElement {
  const caption = h('caption', { class: 'vh' }, label)
  return h('table', { class: 'pt ct' }, caption, h('thead', null, h('tr', null, heads)), h('tbody', null, rows))
}

function statementRow(statement: StatementStats): HTMLElement {
  const { kind, text, target, count, errors, rows, max, total, slowest } = statement
  const title = 'Open the request with the slowest of these queries'
  return tableRow(
    [
      h('span', { class: 'tag' }, kind),
      target !== null && h('span', { class: 'qv' }, target),
      h('a', { href: formatAddress({ id: slowest, tab: 'queries' }), title }, compactText(kind, text)),
    ],
    [
      [int(count), ''],
      [errorCount(errors), errors > 0 ? 'opt hot' : 'opt'],
      [rows === null ? secondaryText('–') : int(rows), 'opt'],
      [ms(meanDuration(statement)), 'opt'],
      [ms(max), 'opt2'],
      [ms(total), ''],
    ],
  )
}

function serviceRow({ name, count, errors, total, own, max }: ServiceStats): HTMLElement {
  return tableRow(h('code', { class: 'qt' }, name), [
    [int(count), ''],
    [errorCount(errors), errors > 0 ? 'opt hot' : 'opt'],
    [ms(max), 'opt'],
    [ms(total), 'opt2'],
    [ms(own), ''],
  ])
}

function errorCount(errors: number): Child {
  return errors === 0 ? secondaryText('0') : int(errors)
}

function tableRow(first: Child, cells: readonly (readonly [Child, string])[]): HTMLElement {
  return h(
    'tr',
    null,
    h('td', { class: 'q1' }, first),
    cells.map(([value, className]) => h('td', { class: className }, value)),
  )
}
