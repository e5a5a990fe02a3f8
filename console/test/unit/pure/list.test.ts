/** Contents of the lists: rows, dividers, tags, log lines; also the palette, keys and editor links. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseFilter } from '#src/devconsole/wire/filter.js'
import type { LogLine } from '#src/devconsole/wire/request-types.js'
import { editorLink, placeText } from '../../../page/pure/editor.js'
import {
  filterRequests,
  isRunning,
  buildItems,
  QUICK_FILTERS,
  flagTags,
  newestFirst,
  nextSort,
  sortRequests,
  type SortableColumn,
} from '../../../page/pure/list.js'
import { matchesLogFilter, LEVELS } from '../../../page/pure/log-filter.js'
import { formatAddress } from '../../../page/pure/address.js'
import { paletteEntries, searchPalette, capitalize } from '../../../page/pure/palette.js'
import { isSame } from '../../../page/pure/same.js'
import { findCommand, SHORTCUTS, type KeyPress } from '../../../page/pure/shortcuts.js'
import { EMPTY, type State } from '../../../page/pure/state.js'
import { summary } from '#test/page-records.js'

function line(changes: Partial<LogLine> = {}): LogLine {
  return { seq: 1, time: 1, level: 'info', message: 'Hello', fields: null, request: null, ...changes }
}

const STATE: State = { ...EMPTY, boot: 'b', boots: new Map([['b', Date.UTC(2026, 0, 1)]]) }

describe('filterRequests()', () => {
  const state = {
    ...STATE,
    records: [summary({ id: 'r_2' }), summary({ id: 'r_1' })],
    logs: [line({ request: 'r_1', message: 'Out of paper' }), line({ request: 'r_1', message: 'second' }), line()],
    open: [{ id: 'r_3', method: 'GET', route: '/slow', since: Date.now() - 2_000 }],
  }
  const idsFor = (q: string) => {
    const { matches, isEmpty } = parseFilter(q)
    return filterRequests(state, matches, isEmpty).map((it) => it.id)
  }

  it('lists requests in progress above the records', () => {
    const [first] = filterRequests(state, () => true, true)
    assert.ok(first !== undefined && isRunning(first) && first['dev.duration'] >= 2_000)
    assert.deepEqual(idsFor(''), ['r_3', 'r_2', 'r_1'])
    assert.equal(isRunning(summary()), false)
  })

  it('searches all log lines of a record', () => {
    assert.deepEqual([idsFor('"of PAPER"'), idsFor('second'), idsFor('is:inflight')], [['r_1'], ['r_1'], ['r_3']])
  })

  it('contains only valid quick filters', () => {
    for (const [, q] of QUICK_FILTERS) assert.deepEqual(parseFilter(q).errors, [])
  })
})

describe('buildItems()', () => {
  it('adds a divider between records of different processes', () => {
    const records = [
      summary({ id: 'r_3', boot: 'b' }),
      summary({ id: 'r_2', boot: 'a' }),
      summary({ id: 'r_1', boot: 'a' }),
    ]
    const items = buildItems(records, STATE)
    assert.deepEqual(
      items.map((it) => [it.key, it.kind === 'record' && it.isOld]),
      [
        ['r_3', false],
        ['divider b', false],
        ['r_2', true],
        ['r_1', true],
      ],
    )
    const [, divider] = items
    assert.ok(divider?.kind === 'divider')
    assert.match(divider.text, /^restarted at \d\d:\d\d:\d\d$/)
  })

  it('starts with a divider if all records are of an earlier process', () => {
    const [first] = buildItems([summary({ boot: 'a' })], { ...STATE, boots: new Map() })
    assert.deepEqual(first, { kind: 'divider', key: 'divider b', text: 'restarted' })
  })

  it('names the file above its records, which are not dimmed', () => {
    const file = { boot: 'file-1', name: 'requests.har' }
    const [, divider, record] = buildItems([summary({ boot: 'b' }), summary({ boot: 'file-1' })], { ...STATE, file })
    assert.deepEqual(divider, { kind: 'divider', key: 'divider file-1', text: 'from requests.har' })
    assert.equal(record?.kind === 'record' && record.isOld, false)
    const [unnamed] = buildItems([summary({ boot: 'file-1' })], STATE)
    assert.equal(unnamed?.kind === 'divider' && unnamed.text, 'from a file')
  })

  it('adds no divider before the process is known', () => {
    assert.equal(buildItems([summary()], EMPTY).length, 1)
  })
})

describe('flagTags()', () => {
  it('returns a label for each known flag, and unknown flags unchanged', () => {
    const flags = ['n+1', 'slow', 'invalid', 'error', 'version', 'aborted', 'inflight', 'mismatch', 'new-one']
    const texts = flagTags(summary({ 'dev.flags': flags, 'dev.issues': 2, 'error.type': 'TypeError' })).map(
      (tag) => tag.text,
    )
    assert.deepEqual(texts, [
      'N+1',
      'slow',
      '2 invalid',
      'TypeError',
      'version',
      'aborted',
      'running',
      'mismatch',
      'new-one',
    ])
    assert.equal(flagTags(summary({ 'dev.flags': ['error'] }))[0]?.text, 'error')
  })

  it('marks pinned and replayed requests', () => {
    const texts = (replayOf: string | null) =>
      flagTags(summary({ 'dev.pinned': true, 'dev.replayOf': replayOf })).map((tag) => tag.text)
    assert.deepEqual([texts('r_1'), texts('r_0trialx'), texts(null)], [['pinned', 'replay'], ['pinned'], ['pinned']])
  })
})

describe('matchesLogFilter()', () => {
  it('shows the selected level and all above it', () => {
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'odd']
    const shown = LEVELS.map(([level]) =>
      levels.filter((it) => matchesLogFilter(line({ level: it }), undefined, { level, text: '' })).join(' '),
    )
    assert.deepEqual(shown, [
      levels.join(' '),
      'debug info warn error fatal',
      'info warn error fatal',
      'warn error fatal',
      'error fatal',
    ])
  })

  it('searches message, fields, handler, path and id', () => {
    const given = line({ fields: { op: 'Pay' }, request: 'r_7' })
    const finds = (text: string) => matchesLogFilter(given, summary(), { level: 'all', text })
    assert.deepEqual(['hello', '"op":"pay"', 'user.get', '/users/7', 'r_7', 'no'].map(finds), [
      true,
      true,
      true,
      true,
      true,
      false,
    ])
    const unnamed = summary({ 'code.function.name': null })
    assert.equal(matchesLogFilter(line(), unnamed, { level: 'all', text: '/users' }), true)
    assert.equal(matchesLogFilter(line(), undefined, { level: 'all', text: '/users' }), false)
  })
})

describe('searchPalette()', () => {
  const route = {
    id: 'Users.post',
    class: 'Users',
    method: 'POST',
    template: '/users',
    place: null,
    decorators: [],
    version: null,
    deprecated: false,
    operation: null,
    warnings: [],
    notes: [],
  }
  const entries = paletteEntries([route], [summary()], (view) => ({ view, q: view === 'routes' ? 'q' : '' }))
  const find = (text: string) => searchPalette(entries, text, 3).map(({ address }) => formatAddress(address))

  it('offers views, routes and requests', () => {
    assert.deepEqual(find(''), ['#/requests', '#/routes?q=q', '#/performance'])
    assert.deepEqual(find('users post'), ['#/routes/Users.post'])
    assert.deepEqual(find('R_1'), ['#/requests/r_1'])
    assert.deepEqual(find('nowhere'), [])
  })

  it('lists entries that start with the text first', () => {
    assert.deepEqual(find('p')[0], '#/performance')
    assert.equal(capitalize('logs'), 'Logs')
  })
})

describe('findCommand()', () => {
  const press = (changes: Partial<KeyPress>, isOn = true) =>
    findCommand({ key: 'j', ctrl: false, alt: false, isTyping: false, isOnControl: false, ...changes }, isOn)

  it('returns the command of each key', () => {
    const keys = ['/', 'j', 'k', 'Enter', 'r', 'e', 'c', 'p', ' ', 'X', '1', '6', 't', 'o', '?', '7', 'x']
    const commands = [
      'filter',
      'next',
      'previous',
      'open',
      'replay',
      'edit',
      'copy',
      'pin',
      'pause',
      'clear',
      'view-0',
      'view-5',
      'theme',
      'file',
      'help',
      null,
      null,
    ]
    assert.deepEqual(
      keys.map((key) => press({ key })),
      commands,
    )
    assert.equal(SHORTCUTS.length, 15)
  })

  it('ignores keys in text fields, on controls and with browser modifiers', () => {
    assert.deepEqual([press({ isTyping: true }), press({ ctrl: true }), press({ alt: true })], [null, null, null])
    assert.deepEqual([press({ key: ' ', isOnControl: true }), press({ key: 'Enter', isOnControl: true })], [null, null])
    assert.equal(press({ key: 'r', isOnControl: true }), 'replay')
  })

  it('ignores single keys if they are off, except with a modifier and Escape', () => {
    assert.equal(press({}, false), null)
    assert.equal(press({ key: 'K', ctrl: true, isTyping: true }, false), 'palette')
    assert.equal(press({ key: 'k', ctrl: true, alt: true }), null)
    assert.equal(press({ key: 'Escape', isTyping: true }, false), 'close')
  })
})

describe('editorLink()', () => {
  const place = { file: 'src/a b.ts', line: 7 }
  const VSCODE = 'vscode://file/{file}:{line}:{column}'

  it('fills the template with an absolute path', () => {
    assert.equal(editorLink(VSCODE, '/app/', place), 'vscode://file//app/src/a%20b.ts:7:1')
    assert.equal(editorLink(VSCODE, '/app', { ...place, file: '/x.ts', column: 3 }), 'vscode://file//x.ts:7:3')
    assert.equal(editorLink(VSCODE, 'C:\\app', { ...place, file: 'C:\\app\\x.ts' }), 'vscode://file/C:/app/x.ts:7:1')
  })

  it('returns null without a configured editor', () => {
    assert.equal(editorLink(null, '/app', place), null)
  })

  it('formats a place as file and line', () => {
    assert.equal(placeText(place), 'src/a b.ts:7')
  })
})

describe('isSame()', () => {
  it('compares arrays item by item', () => {
    const shared = {}
    assert.deepEqual(
      [isSame([1, shared], [1, shared]), isSame([{}], [{}]), isSame([], [undefined])],
      [true, false, false],
    )
  })
})

describe('sortRequests(), nextSort()', () => {
  const duration: SortableColumn = { label: 'Duration', sortValue: (record) => record['dev.duration'] }
  const handler: SortableColumn = { label: 'Handler', sortValue: (record) => record['code.function.name'] ?? '' }
  const columns = [duration, handler, { label: 'Phases' }]

  it('sorts by the value of a column, and not by a column without one', () => {
    const records = [
      summary({ id: 'a', 'dev.duration': 3, 'code.function.name': 'B.get' }),
      summary({ id: 'b', 'dev.duration': 20, 'code.function.name': null }),
    ]
    const ids = (sort: string) =>
      sortRequests(records, sort, columns)
        ?.map(({ id }) => id)
        .join('')
    assert.deepEqual(['-Duration', 'Duration', 'Handler', '-Handler'].map(ids), ['ba', 'ab', 'ba', 'ab'])
    assert.deepEqual(['', '-', 'Phases', 'constructor'].map(ids), [undefined, undefined, undefined, undefined])
  })

  it('goes through both directions to the order of arrival', () => {
    const orders = (column: SortableColumn, sorts: readonly string[]) => sorts.map((sort) => nextSort(column, sort))
    assert.deepEqual(orders(duration, ['', '-Duration', 'Duration']), ['-Duration', 'Duration', ''])
    assert.deepEqual(orders(handler, ['-Duration', 'Handler', '-Handler']), ['Handler', '-Handler', ''])
  })
})

describe('newestFirst()', () => {
  it('sorts by the start that the list shows, not by the end, and within each process', () => {
    const records = [
      summary({ id: 'slow', boot: 'b', time: 10 }),
      summary({ id: 'fast', boot: 'b', time: 20 }),
      summary({ id: 'old-slow', boot: 'a', time: 30 }),
      summary({ id: 'old-fast', boot: 'a', time: 40 }),
      summary({ id: 'old-same', boot: 'a', time: 40 }),
    ]
    const ids = newestFirst(records).map(({ id }) => id)
    assert.deepEqual(ids, ['fast', 'slow', 'old-fast', 'old-same', 'old-slow'])
  })
})
