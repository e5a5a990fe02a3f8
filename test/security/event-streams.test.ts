// own process: hooks outside of suites start its server
/**
 * Event streams: a client dispatches exactly the events that a handler yields. Each row names the file of the event-stream folder of Web
 * Platform Tests that tests the same rule in browsers.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { events, Route, type Context, type StreamEvent } from 'verbena'
import * as z from 'zod'
import { createUntypedApp } from '#test/apps.js'
import { EventReader, follow, buildEventRequest, type ReadEvent } from '#test/event-reader.js'
import { askInProcess, assertAlive, exchange, formatTitle, type Rule } from '#test/attack-rows.js'

/** Any JSON. */
type Event = StreamEvent<unknown>

interface EventsRow extends Rule {
  /** Events that the handler yields. */
  readonly yields: readonly Event[]
  /** Type, id and parsed data of each dispatched event. */
  readonly dispatches: readonly (readonly [type: string, lastEventId: string, data: unknown])[]
  readonly retry?: number
}

const wpt = (file: string): string => `WPT eventsource/${file}`
const plain = (values: readonly unknown[]): Pick<EventsRow, 'yields' | 'dispatches'> => ({
  yields: values.map((data) => ({ data })),
  dispatches: values.map((data) => ['message', '', data]),
})

const DATA: readonly EventsRow[] = [
  { rule: 'sends empty data', source: wpt('format-field-data.any.js'), ...plain(['', '\n', 'test']) },
  {
    rule: 'sends any JSON',
    source: wpt('event-data.any.js'),
    ...plain([null, false, 0, -1.5e300, [], {}, { a: [1, { b: null }] }, 'x'.repeat(100_000)]),
  },
  {
    rule: 'keeps every line end in data',
    source: wpt('format-newlines.any.js'),
    ...plain(['a\nb', 'a\rb', 'a\r\nb', '\n\n\n', '\r\r', 'a\u2028b\u2029c\u0085d\fe\vf', '\n', '\r\n']),
  },
  {
    rule: 'keeps spaces at both ends of data',
    source: wpt('format-leading-space.any.js'),
    ...plain([' a', '  a ', '\ta\t', ' ', '\u00a0a']),
  },
  {
    rule: 'does not read data as fields',
    source: wpt('format-field-parsing.any.js'),
    ...plain(['data: x\nid: 7\n\nevent: y\nretry: 1', 'id: 7', ':', 'data', '\rid: 7\r\rdata: forged', ' data:32']),
  },
  {
    rule: 'ignores unknown properties of an event',
    source: wpt('format-field-unknown.any.js'),
    yields: [Object.assign({ data: 'a' }, { foo: 'x', comment: 'y', lastEventId: '9', toString: 'z' })],
    dispatches: [['message', '', 'a']],
  },
  { rule: 'does not read data as a comment', source: wpt('format-comments.any.js'), ...plain([':a', '\n:b', '::\n:']) },
  {
    rule: 'sets the type of one event, but not of the next',
    source: wpt('format-field-event.any.js'),
    yields: [{ data: 1, event: 'test' }, { data: 2 }, { data: 3, event: 'Ä b:c' }, { data: 4, event: ' d' }],
    dispatches: [
      ['test', '', 1],
      ['message', '', 2],
      ['Ä b:c', '', 3],
      [' d', '', 4],
    ],
  },
  {
    rule: 'treats an empty type as message',
    source: wpt('format-field-event-empty.any.js'),
    yields: [{ data: 1, event: '' }],
    dispatches: [['message', '', 1]],
  },
  {
    rule: 'keeps an id until the next one, and resets it with an empty id',
    source: wpt('format-field-id-3.window.js'),
    yields: [{ data: 1, id: '1' }, { data: 2 }, { data: 3, id: '' }, { data: 4 }, { data: 5, id: 'a: b' }],
    dispatches: [
      ['message', '1', 1],
      ['message', '1', 2],
      ['message', '', 3],
      ['message', '', 4],
      ['message', 'a: b', 5],
    ],
  },
  {
    rule: 'sends the reconnection time',
    source: wpt('format-field-retry.any.js'),
    yields: [{ data: 1, retry: 3000 }, { data: 2 }],
    dispatches: [
      ['message', '', 1],
      ['message', '', 2],
    ],
    retry: 3000,
  },
  {
    rule: 'sends a reconnection time of 0',
    source: wpt('format-field-retry.any.js'),
    yields: [
      { data: 1, retry: 3000 },
      { data: 2, retry: -0 },
    ],
    dispatches: [
      ['message', '', 1],
      ['message', '', 2],
    ],
    retry: 0,
  },
  {
    rule: 'sends no missing fields',
    source: wpt('format-field-retry-empty.any.js'),
    ...plain([1]),
  },
  {
    rule: 'sends UTF-8',
    source: wpt('format-utf-8.any.js'),
    ...plain(['ok…', '日本', '😀'.repeat(20_000), '\ufffd', '\u{10ffff}']),
  },
  {
    rule: 'sends a lone surrogate as a JSON escape',
    source: wpt('format-utf-8.any.js'),
    ...plain(['\ud800', 'a\udc00b']),
  },
  {
    rule: 'sends NUL and other control characters',
    source: wpt('format-null-character.any.js'),
    ...plain(['\0', '\x01\x1b\x7f\x9f']),
  },
  { rule: 'keeps a BOM at the beginning of data', source: wpt('format-bom.any.js'), ...plain(['\ufeffa', '\ufeff']) },
  { rule: 'keeps a BOM in later data', source: wpt('format-bom-2.any.js'), ...plain(['a', '\ufeff\ufeffb']) },
  {
    rule: 'completes the last event before the end of the stream',
    source: wpt('format-data-before-final-empty-line.any.js'),
    ...plain(['first', 'last']),
  },
]

interface RefusedRow extends Rule {
  readonly event: object
}

const refused = (source: string, field: string, values: readonly unknown[]): RefusedRow[] =>
  values.map((value) => ({
    rule: `interrupts the stream at the ${field} ${JSON.stringify(value) ?? 'undefined'}${Object.is(value, NaN) ? ' of NaN' : ''}`,
    source,
    event: { data: 'forged', [field]: value },
  }))

/** Events that a client would read differently. They are errors of the handler, and none of their bytes is sent. */
const REFUSED: readonly RefusedRow[] = [
  ...refused(wpt('format-field-id-null.window.js'), 'id', ['\0', '\0\0', 'x\0', '\0x', 'x\0x', ' \0']),
  ...refused('it would end the field', 'id', ['1\ndata: x', '1\rdata: x', '1\r\n', '\n', 'x\n\ndata: y']),
  ...refused('RFC 9110 §5.5: clients send `Last-Event-ID` in UTF-8, but headers are Latin-1', 'id', [
    'ä',
    '…',
    '日本',
    '\ud800',
  ]),
  ...refused('RFC 9110 §5.5: no client can send it back', 'id', ['\x01', 'a\x7f', '\x1b[2J']),
  ...refused('RFC 9110 §5.5: spaces around a value are not part of it', 'id', [' a', 'a ', '\ta', 'a\t', ' ']),
  ...refused('Verbena: must be a string', 'id', [7, null, {}]),
  ...refused('it would end the field', 'event', ['x\n\ndata: y', 'x\r', '\nid: 7', '\0']),
  ...refused('Verbena: must be Latin-1', 'event', ['日本', '\ud800', '\ufeff']),
  ...refused('Verbena: must be a string', 'event', [7, null]),
  ...refused(wpt('format-field-retry-bogus.any.js'), 'retry', [-1, 1.5, 1e21, NaN, Infinity, '1000x', '1', null]),
  ...refused(wpt('format-field-retry-empty.any.js'), 'retry', ['']),
  ...refused('JSON cannot represent it', 'data', [undefined]),
  {
    rule: 'interrupts the stream at an event without data',
    source: 'WHATWG HTML §9.2.6: it would not be dispatched',
    event: { id: '1' },
  },
]

class Yielded extends Route {
  static readonly path = '/yielded/{row}'
  static readonly get = this.contract({ returns: events(z.unknown()) })
  async *get({ params }: Context & { readonly params: { readonly row: string } }) {
    yield* DATA[Number(params.row)]?.yields ?? []
  }
}

class Refused extends Route {
  static readonly path = '/refused/{row}'
  static readonly get = this.contract({ returns: events(z.unknown()) })
  async *get({ params }: Context & { readonly params: { readonly row: string } }) {
    // Proof: wrong on purpose; the rows are values that the types reject.
    yield REFUSED[Number(params.row)]?.event as Event
  }
}

class Alive extends Route {
  get() {
    return 'alive'
  }
}

const app = createUntypedApp({ routes: { Alive, Yielded, Refused }, signals: false })

const valuesOf = (read: readonly ReadEvent[]): unknown[] =>
  read.map(({ type, lastEventId, data }) => [type, lastEventId, JSON.parse(data) as unknown])

let port = 0
before(async () => {
  ;({ port } = await app.listen())
})
after(() => app.close())

describe('valid events of an event stream', () => {
  for (const [at, row] of DATA.entries()) {
    it(formatTitle(row), async () => {
      const followed = await follow(port, `/yielded/${at}`)
      const [connection] = followed.connections
      assert.deepEqual(valuesOf(connection?.events ?? []), row.dispatches)
      assert.equal(followed.retry, row.retry)
      const inProcess = new EventReader()
      inProcess.push((await askInProcess(app, { target: `/yielded/${at}` })).body)
      assert.deepEqual(inProcess.events, connection?.events)
      await assertAlive(port)
    })
  }
})

describe('invalid events of an event stream', () => {
  for (const [at, row] of REFUSED.entries()) {
    it(formatTitle(row), async () => {
      const bytes = await exchange(port, buildEventRequest(`/refused/${at}`, ''))
      const reader = new EventReader()
      reader.push(bytes)
      assert.deepEqual(reader.events, [])
      assert.doesNotMatch(bytes.toString('latin1'), /forged|^(?:data|id|event|retry)\b/m)
      // The stream is interrupted, or the response is a 500 if its headers were not sent. It is never a complete stream.
      const { connections } = await follow(port, `/refused/${at}`)
      assert.notEqual(connections[0]?.answer?.status, 200)
      await assertAlive(port)
    })
  }
})
