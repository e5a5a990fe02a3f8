/** State of the page after each event. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RequestSummary } from '#src/devconsole/wire/request-types.js'
import type { MetricsPoint, Incident, Snapshot } from '#src/devconsole/wire/feed-types.js'
import {
  applyEvent,
  applyFile,
  applyMetrics,
  applyStored,
  closeFile,
  applySnapshot,
  countHeld,
  togglePause,
  withLink,
} from '../../../page/pure/reduce.js'
import { EMPTY, MAX_LOGS, MAX_POINTS, MAX_RECORDS, type State } from '../../../page/pure/state.js'
import { summary } from '#test/page-records.js'

const BUFFER = { count: 1, maxCount: 500, bytes: 10, maxBytes: 100, total: 7, skipped: 0 }

function snapshot(changes: Partial<Snapshot> = {}): Snapshot {
  return {
    v: 1,
    boot: 'boot-a',
    seq: 0,
    now: 2_000,
    app: { name: 'acme', version: '1.0.0', node: '20.0.0', platform: 'linux x64', root: '/app' },
    processes: [{ pid: 41, started: 1_000 }],
    settings: EMPTY.settings,
    titles: {},
    buffer: BUFFER,
    requests: [],
    metrics: { points: [], slices: [], endpoints: [] },
    problems: [],
    earlier: [],
    logs: [],
    ...changes,
  }
}

const STARTED = applySnapshot(EMPTY, snapshot())

function numbered(seq: number, changes: Partial<RequestSummary> = {}): RequestSummary {
  return summary({ id: `r_${seq}`, seq, ...changes })
}

function received(state: State, ...items: readonly RequestSummary[]): State {
  return applyEvent(state, 'req', { v: 1, items, dropped: 0 })
}

function ids(state: State): string {
  return state.records.map((it) => it.id).join(' ')
}

function line(seq: number, request: string | null = null) {
  return { seq, time: 1_000 + seq, level: 'info', message: `line ${seq}`, fields: null, request }
}

function point(time: number, durations: readonly number[] = []): MetricsPoint {
  return {
    time,
    classes: [0, 0, 1, 0, 0, 0],
    durations,
    inFlight: 0,
    loopDelay: null,
    loopUse: null,
    heap: 1,
    rss: 1,
    gc: 0,
  }
}

function problem(key: string, last: number, sample: string | null = null): Incident & { v: number } {
  const counts = { count: 1, unit: '', trend: [], first: 0, last }
  return { v: 1, key, kind: 'slow', endpoint: null, title: [], detail: '', ...counts, facts: [], query: '', sample }
}

describe('state: records', () => {
  it('lists records newest first, each once', () => {
    const state = received(received(STARTED, numbered(1), numbered(2)), numbered(2), numbered(3))
    assert.equal(ids(state), 'r_3 r_2 r_1')
  })

  it('inserts late records in order', () => {
    assert.equal(ids(received(received(STARTED, numbered(3)), numbered(2))), 'r_3 r_2')
  })

  it('limits the number of records, except pinned records', () => {
    const many = Array.from({ length: MAX_RECORDS + 20 }, (_, index) =>
      numbered(index + 1, { 'dev.pinned': index === 0 }),
    )
    const { records } = received(STARTED, ...many)
    assert.equal(records.length, MAX_RECORDS + 1)
    assert.deepEqual([records[0]?.seq, records.at(-1)?.id], [MAX_RECORDS + 20, 'r_1'])
  })

  it('keeps failed and rejected records and samples of problems below newer records', () => {
    const sampled = applySnapshot(EMPTY, snapshot({ problems: [problem('burst', 1, 'r_3')] }))
    const old = received(
      sampled,
      numbered(1, { 'http.response.status_code': 500 }),
      numbered(2, { 'http.response.status_code': 404 }),
      numbered(3),
      numbered(4),
      numbered(5, { 'dev.flags': ['slow'] }),
    )
    const many = Array.from({ length: MAX_RECORDS }, (_, index) => numbered(index + 6))
    assert.deepEqual(
      received(old, ...many)
        .records.slice(MAX_RECORDS)
        .map(({ seq }) => seq),
      [5, 3, 2, 1],
    )
  })

  it('limits the number of failed records', () => {
    const many = Array.from({ length: 2 * MAX_RECORDS }, (_, index) => numbered(index + 2, { 'dev.flags': ['slow'] }))
    assert.equal(received(STARTED, ...many).records.length, MAX_RECORDS)
  })

  it('keeps records below new ones after a restart', () => {
    const before = received(STARTED, numbered(8), numbered(9))
    const hello = {
      v: 1,
      boot: 'boot-b',
      resumed: false,
      pid: 1,
      name: '',
      version: '',
      node: '',
      started: 5_000,
      now: 6_000,
      stream: 's',
    }
    const after = applyEvent(before, 'hello', hello)
    assert.deepEqual([after.boot, after.boots.get('boot-a'), after.boots.get('boot-b')], ['boot-b', 1_000, 5_000])
    const fresh = { ...numbered(1, { boot: 'boot-b' }), id: 'r_new' }
    assert.equal(ids(received(after, fresh)), 'r_new r_9 r_8')
  })

  it('keeps older records if a snapshot contains only the newest', () => {
    const before = received(STARTED, numbered(1), numbered(2))
    const state = applySnapshot(before, snapshot({ requests: [numbered(3), numbered(2, { 'dev.pinned': true })] }))
    assert.equal(ids(state), 'r_3 r_2 r_1')
    assert.equal(state.records[1]?.['dev.pinned'], true)
  })
})

describe('state: records that are read again', () => {
  it('reuses unchanged record objects, except if a pin has changed', () => {
    const [first, second] = [numbered(1), numbered(2)]
    const before = received(received(STARTED, first), second)
    const pinned = { ...numbered(1), 'dev.pinned': true }
    const { records } = applySnapshot(before, snapshot({ requests: [numbered(2), pinned] }))
    assert.deepEqual([records[0] === second, records[1] === pinned, records.length], [true, true, 2])
  })
})

describe('countHeld()', () => {
  it('counts records that arrived during a pause, but not visible records that were read again', () => {
    const paused = togglePause(received(STARTED, numbered(1)))
    const later = received(paused, numbered(2))
    const reread = applySnapshot(later, snapshot({ requests: [numbered(2), numbered(1)] }))
    assert.deepEqual([countHeld(STARTED), countHeld(paused), countHeld(later), countHeld(reread)], [0, 0, 1, 1])
  })
})

describe('togglePause()', () => {
  it('holds new records during a pause, and then shows them in order', () => {
    const paused = togglePause(received(STARTED, numbered(1)))
    const later = received(received(paused, numbered(2)), numbered(3))
    assert.deepEqual([later.paused, ids(later), later.held.records.length], [true, 'r_1', 2])
    const going = togglePause(later)
    assert.deepEqual([going.paused, ids(going), going.held.records.length], [false, 'r_3 r_2 r_1', 0])
  })

  it('holds log lines during a pause', () => {
    const paused = applyEvent(togglePause(STARTED), 'log', { v: 1, items: [line(1), line(2)], dropped: 0 })
    assert.deepEqual([paused.logs.length, paused.held.logs.length], [0, 2])
    assert.deepEqual(
      togglePause(paused).logs.map((it) => it.seq),
      [2, 1],
    )
  })
})

describe('log', () => {
  it('lists lines newest first, each once, up to a maximum', () => {
    const first = applyEvent(STARTED, 'log', { v: 1, items: [line(1), line(2)], dropped: 0 })
    const again = applyEvent(first, 'log', { v: 1, items: [line(2), line(3)], dropped: 0 })
    assert.deepEqual(
      again.logs.map((it) => it.seq),
      [3, 2, 1],
    )
    const many = Array.from({ length: MAX_LOGS + 5 }, (_, index) => line(index + 10))
    assert.equal(applyEvent(again, 'log', { v: 1, items: many, dropped: 0 }).logs.length, MAX_LOGS)
  })
})

describe('tick', () => {
  const tick = (state: State, time: number, durations: readonly number[] = []) =>
    applyEvent(state, 'tick', { v: 1, ...point(time, durations), buffer: BUFFER })

  it('adds each second once, up to a maximum', () => {
    let state = tick(tick(STARTED, 1_000), 1_000)
    assert.equal(state.points.length, 1)
    for (let time = 2; time < MAX_POINTS + 10; time++) state = tick(state, time * 1_000)
    assert.equal(state.points.length, MAX_POINTS)
  })

  it('adds durations to the slice that contains the second', () => {
    const state = [10_000, 10_001, 12_000, 20_001].reduce((before, time) => tick(before, time, [80, 2]), STARTED)
    assert.deepEqual(state.slices, [
      { time: 0, durations: [80, 2] },
      { time: 10_000, durations: [80, 4] },
      { time: 20_000, durations: [80, 2] },
    ])
  })

  it('adds no slice without requests', () => {
    assert.deepEqual(tick(STARTED, 10_000).slices, [])
  })

  it('updates the buffer size', () => {
    assert.equal(tick(EMPTY, 1).buffer.total, 7)
  })
})

describe('events: problem, cleared, pinned, open, routes and gap', () => {
  it('replaces a problem with the same key, and lists the newest first', () => {
    const state = [problem('a', 1), problem('b', 5), problem('a', 9)].reduce(
      (before, it) => applyEvent(before, 'problem', it),
      STARTED,
    )
    assert.deepEqual(
      state.problems.map((it) => [it.key, it.last]),
      [
        ['a', 9],
        ['b', 5],
      ],
    )
    const read = applySnapshot(state, snapshot({ problems: [problem('c', 1), problem('d', 2)] }))
    assert.deepEqual(
      read.problems.map((it) => it.key),
      ['d', 'c'],
    )
  })

  it('clears everything except pinned records', () => {
    const full = applyEvent(received(STARTED, numbered(1, { 'dev.pinned': true }), numbered(2)), 'log', {
      v: 1,
      items: [line(1)],
      dropped: 0,
    })
    const state = applyEvent(full, 'cleared', { v: 1 })
    assert.deepEqual([ids(state), state.logs, state.problems, state.buffer.count], ['r_1', [], [], 1])
  })

  it('clears held records', () => {
    const paused = received(togglePause(STARTED), numbered(1))
    assert.equal(togglePause(applyEvent(paused, 'cleared', { v: 1 })).records.length, 0)
  })

  it('marks pinned records, and does not change other record objects', () => {
    const before = received(STARTED, numbered(1), numbered(2, { 'dev.pinned': true }), numbered(3))
    const state = applyEvent(before, 'pinned', { v: 1, ids: ['r_1'] })
    assert.deepEqual(
      state.records.map((it) => it['dev.pinned']),
      [false, false, true],
    )
    assert.equal(state.records[0], before.records[0])
  })

  it('keeps the pins of an earlier process', () => {
    const before = received(STARTED, numbered(1, { boot: 'older', 'dev.pinned': true }))
    assert.equal(applyEvent(before, 'pinned', { v: 1, ids: [] }).records[0]?.['dev.pinned'], true)
  })

  it('shows requests in progress until the process closes or the link is lost', () => {
    const open = { id: 'r_9', method: 'GET', route: '/x', since: 1 }
    const state = applyEvent(STARTED, 'open', { v: 1, items: [open], dropped: 0 })
    assert.deepEqual(state.open, [open])
    assert.deepEqual(applyEvent(state, 'bye', { v: 1 }).open, [])
    assert.deepEqual(withLink(state, 'lost', 5).open, [])
    assert.deepEqual(withLink(state, 'live', 5).open, [open])
  })

  it('requests the routes again for a routes event, and ignores a gap', () => {
    assert.equal(applyEvent(STARTED, 'routes', { v: 1 }).routesRead, 1)
    assert.equal(applyEvent(STARTED, 'gap', { v: 1, from: 1, to: 2 }), STARTED)
  })
})

describe('withLink()', () => {
  it('stores the time of the last working link', () => {
    const live = withLink(EMPTY, 'live', 100)
    assert.deepEqual([withLink(live, 'lost', 200).linked, withLink(live, 'polling', 300).linked], [100, 300])
  })
})

describe('applySnapshot(), applyMetrics()', () => {
  it('applies the app, process and buffer of a snapshot', () => {
    assert.deepEqual(
      [STARTED.app?.name, STARTED.boot, STARTED.processes[0]?.pid, STARTED.buffer.total],
      ['acme', 'boot-a', 41, 7],
    )
  })

  it('uses the current time for a process without a start time', () => {
    assert.equal(applySnapshot(EMPTY, snapshot({ processes: [] })).boots.get('boot-a'), 2_000)
  })

  it('applies metrics unchanged', () => {
    const metrics = { points: [point(1)], slices: [], endpoints: [] }
    assert.equal(applyMetrics(STARTED, metrics).points, metrics.points)
  })
})

describe('withLink(): app that is gone', () => {
  it('notes since when, until the link is good again', () => {
    const lost = withLink(withLink(STARTED, 'restarting', 5_000), 'lost', 9_000)
    assert.deepEqual([lost.goneSince, withLink(lost, 'live', 10_000).goneSince], [5_000, 0])
    assert.equal(withLink(lost, 'locked', 10_000).goneSince, 0)
  })
})

describe('applyStored(), applyFile(), closeFile()', () => {
  const run = { boot: 'boot-0', started: 500, incidents: [], endpoints: [{ endpoint: 'GET /', median: 1 }] }

  it('lists requests of earlier runs after the current run, the newest run first', () => {
    const older = numbered(9, { id: 'r_old', boot: 'boot-0', time: 5 })
    const newer = [1, 2].map((seq) => numbered(seq, { id: `r_new${seq}`, boot: 'boot-1', time: 10 + seq }))
    const next = applyStored(received(STARTED, numbered(1)), [older, ...newer, numbered(1), numbered(7)], [run])
    assert.equal(ids(next), 'r_1 r_new2 r_new1 r_old')
    assert.deepEqual([next.runs, next.boots.get('boot-0')], [[run], 500])
    assert.equal(applyStored(next, []), next)
    assert.equal(ids(received(next, numbered(2))), 'r_2 r_1 r_new2 r_new1 r_old')
  })

  it('orders runs that ended at the same time by their boot', () => {
    const records = ['boot-0', 'boot-1', 'boot-0'].map((boot, seq) =>
      numbered(seq, { id: `r_${boot}${seq}`, boot, time: 1 }),
    )
    assert.equal(ids(applyStored(STARTED, records)), 'r_boot-11 r_boot-02 r_boot-00')
  })

  it('lists the requests of one file at a time, as the last ones, and keeps all of them', () => {
    const ofFile = (number: number, count: number) =>
      Array.from({ length: count }, (_, seq) => numbered(seq, { id: `f_${number}_${seq}`, boot: `file-${number}` }))
    const listed = received(STARTED, numbered(1))
    const opened = applyFile(listed, 'a.har', ofFile(1, 700))
    assert.deepEqual([opened.records.length, opened.records[0]?.id, opened.file?.name], [701, 'r_1', 'a.har'])
    const other = applyFile(opened, 'b.har', ofFile(2, 2))
    assert.deepEqual([ids(other), other.file], ['r_1 f_2_1 f_2_0', { boot: 'file-2', name: 'b.har' }])
    assert.equal(applyFile(other, 'c.har', []), other)
    assert.equal(applyFile(other, 'd.har', ofFile(3, 1), 'Not listed: 1').file?.note, 'Not listed: 1')
    const closed = closeFile(other)
    assert.deepEqual([ids(closed), closed.file], ['r_1', null])
    const withEarlier = applyStored(other, [numbered(1, { id: 'r_old', boot: 'boot-0' })])
    assert.equal(ids(withEarlier), 'r_1 r_old f_2_1 f_2_0')
  })
})

describe('state: runs', () => {
  it('stores incidents and medians of a run when the next one begins, and starts without incidents', () => {
    const failing = applyEvent(received(STARTED, numbered(1)), 'problem', problem('key', 5))
    const restarted = applySnapshot(failing, snapshot({ boot: 'boot-b', processes: [{ pid: 42, started: 9_000 }] }))
    assert.deepEqual(
      restarted.runs.map(({ boot, started, incidents }) => [boot, started, incidents.map(({ key }) => key)]),
      [['boot-a', 1_000, ['key']]],
    )
    assert.deepEqual(
      [restarted.runs[0]?.endpoints, restarted.problems],
      [[{ endpoint: 'GET /users/{id}', median: 10 }], []],
    )
    const hello = { v: 1, boot: 'boot-b', resumed: false, now: 0, stream: '', pid: 1, name: '', version: '', node: '' }
    const greeted = applyEvent(failing, 'hello', { ...hello, started: 9_000 })
    assert.deepEqual([greeted.runs, greeted.problems], [restarted.runs, []])
    assert.deepEqual(applySnapshot(EMPTY, snapshot()).runs, [])
  })

  it('adds the runs that the app has stored, and forgets all runs when the console is cleared', () => {
    const run = { boot: 'boot-0', started: 500, incidents: [], endpoints: [{ endpoint: 'GET /', median: 1 }] }
    const state = applySnapshot(EMPTY, snapshot({ earlier: [run] }))
    assert.deepEqual([state.runs, state.boots.get('boot-0')], [[run], 500])
    const cleared = applyEvent(state, 'cleared', { v: 1 })
    assert.deepEqual([cleared.runs, cleared.file, cleared.clears], [[], null, state.clears + 1])
  })
})
