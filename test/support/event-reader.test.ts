/** `EventReader` follows the event-stream folder of Web Platform Tests; the other tests rely on it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventReader, type ReadEvent } from './event-reader.js'
import { formatTitle, type Rule } from './attack-rows.js'

interface Row extends Rule {
  readonly bytes: string
  readonly gives: readonly Partial<ReadEvent>[]
  readonly retry?: number
  readonly lastEventId?: string
}

const BOM = '\ufeff'
const data = (...texts: readonly string[]): Partial<ReadEvent>[] => texts.map((text) => ({ data: text }))

const ROWS: readonly Row[] = [
  { rule: 'removes one BOM', source: 'format-bom', bytes: `${BOM}data:a\n\n`, gives: data('a') },
  {
    rule: 'keeps a second BOM',
    source: 'format-bom-2',
    bytes: `${BOM}${BOM}data:a\n\ndata:b\n\n`,
    gives: data('b'),
  },
  {
    rule: 'skips comments',
    source: 'format-comments',
    bytes: 'data:a\n:\r\0\n:b\n: data:c\r\ndata:d\n\n',
    gives: data('a\nd'),
  },
  {
    rule: 'drops an event without an empty line at its end',
    source: 'format-data-before-final-empty-line',
    bytes: 'data:a\n\ndata:b\n',
    gives: data('a'),
  },
  {
    rule: 'accepts a data field without a colon',
    source: 'format-field-data',
    bytes: 'data:\n\ndata\ndata\n\ndata:a\n\n',
    gives: data('', '\n', 'a'),
  },
  {
    rule: 'reads the event type',
    source: 'format-field-event',
    bytes: 'event:a\ndata:1\n\ndata:2\n\n',
    gives: [{ type: 'a' }, { type: 'message' }],
  },
  {
    rule: 'treats an empty event type as message',
    source: 'format-field-event-empty',
    bytes: 'event: \ndata:1\n\n',
    gives: [{ type: 'message' }],
  },
  {
    rule: 'keeps an id for later events',
    source: 'format-field-id-2',
    bytes: 'id: 1\ndata:a\n\ndata:b\n\n',
    gives: [{ lastEventId: '1' }, { lastEventId: '1' }],
    lastEventId: '1',
  },
  {
    rule: 'resets the id with an empty id field',
    source: 'format-field-id-3',
    bytes: 'id: 1\ndata:a\n\nid\ndata:b\n\n',
    gives: [{ lastEventId: '1' }, { lastEventId: '' }],
    lastEventId: '',
  },
  {
    rule: 'keeps an id without data',
    source: 'format-field-id',
    bytes: 'id: …\n\ndata:a\n\n',
    gives: [{ lastEventId: '…' }],
    lastEventId: '…',
  },
  {
    rule: 'ignores the id of an incomplete event',
    source: 'format-field-id',
    bytes: 'data:a\n\nid: 1\n',
    gives: data('a'),
    lastEventId: '',
  },
  {
    rule: 'ignores an id with NUL',
    source: 'format-field-id-null',
    bytes: 'id: 1\0\ndata:a\n\n',
    gives: [{ lastEventId: '' }],
  },
  {
    rule: 'matches field names exactly',
    source: 'format-field-parsing',
    bytes: 'data:\0\nData:1\ndata\0:2\n data:3\ndata:  4\n\n',
    gives: data('\0\n 4'),
  },
  {
    rule: 'reads digits as retry',
    source: 'format-field-retry',
    bytes: 'retry:03000\ndata:a\n\n',
    gives: data('a'),
    retry: 3000,
  },
  {
    rule: 'ignores a retry that is not all digits',
    source: 'format-field-retry-bogus',
    bytes: 'retry:3000\nretry:1000x\nretry:-1\ndata:a\n\n',
    gives: data('a'),
    retry: 3000,
  },
  { rule: 'ignores an empty retry', source: 'format-field-retry-empty', bytes: 'retry\ndata:a\n\n', gives: data('a') },
  {
    rule: 'ignores other fields',
    source: 'format-field-unknown',
    bytes: 'data:a\nfoo:b\nbar\ndata:c\n\n',
    gives: data('a\nc'),
  },
  {
    rule: 'removes one leading space, but no tab',
    source: 'format-leading-space',
    bytes: 'data:\ta\rdata:  b\ndata: \n\n',
    gives: data('\ta\n b\n'),
  },
  {
    rule: 'accepts CR, LF and CRLF as line ends',
    source: 'format-newlines',
    bytes: 'data:a\r\ndata:b\rdata:c\ndata:d\r\n\r\n',
    gives: data('a\nb\nc\nd'),
  },
  { rule: 'keeps NUL in data', source: 'format-null-character', bytes: 'data:\0\n\n', gives: data('\0') },
  { rule: 'reads UTF-8', source: 'format-utf-8', bytes: 'data:ok…😀\n\n', gives: data('ok…😀') },
]

function readBy(bytes: Uint8Array, size: number): EventReader {
  const reader = new EventReader()
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
  return reader
}

describe('EventReader', () => {
  for (const row of ROWS) {
    it(formatTitle(row), () => {
      const bytes = Buffer.from(row.bytes)
      for (const size of [bytes.length, 1, 2, 3]) {
        const reader = readBy(bytes, size)
        assert.equal(reader.events.length, row.gives.length)
        for (const [at, given] of row.gives.entries())
          assert.deepEqual({ ...reader.events[at], ...given }, reader.events[at])
        assert.equal(reader.retry, row.retry)
        if (row.lastEventId !== undefined) assert.equal(reader.lastEventId, row.lastEventId)
      }
    })
  }

  it(formatTitle({ rule: 'replaces invalid UTF-8 by U+FFFD', source: 'format-utf-8' }), () => {
    const reader = readBy(Buffer.from('data:\xff\n\n', 'latin1'), 1)
    assert.deepEqual(reader.events, [{ type: 'message', data: '\ufffd', lastEventId: '' }])
  })
})
