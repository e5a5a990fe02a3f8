/** Event streams: a client reads exactly the events that were written, wherever the bytes are cut. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { encodeEvent, type EventFields } from '#src/http/event-stream.js'
import { EventReader, type ReadEvent } from '#test/event-reader.js'

/** Strings that an incorrect encoder would change. */
const TRICKY = [
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  ':',
  ' ',
  '\t',
  '\0',
  '\ufeff',
  'data: ',
  'id: 7',
  'event: x',
  'retry: 1',
  'é',
  '😀',
]
const tricky = fc.array(fc.constantFrom('a', ...TRICKY), { maxLength: 12 }).map((parts) => parts.join(''))
const data = fc.oneof(tricky, fc.string({ unit: 'binary' }))
const id = fc.oneof(
  fc.nat().map(String),
  fc.string({ unit: 'grapheme-ascii' }).map((text) => text.trim()),
)
const latin1 = fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code))
const event = fc
  .oneof(fc.constantFrom('', 'tick', ' a', 'data', 'a: b'), fc.string({ unit: latin1 }))
  .map((text) => text.replace(/[\r\n]/g, ''))

const fields: fc.Arbitrary<EventFields> = fc.record({ data, id, event, retry: fc.nat() }, { requiredKeys: ['data'] })
/** An event, or a heartbeat between events. */
const step = fc.oneof({ weight: 4, arbitrary: fields }, { weight: 1, arbitrary: fc.constant(null) })

interface Expected {
  readonly events: ReadEvent[]
  lastEventId: string
  retry: number | undefined
}

/** Computes the expected result of a client from the meaning of the fields. */
function expectedOf(steps: readonly (EventFields | null)[]): Expected {
  const expected: Expected = { events: [], lastEventId: '', retry: undefined }
  for (const given of steps) {
    if (given === null) continue
    expected.lastEventId = given.id ?? expected.lastEventId
    expected.retry = given.retry ?? expected.retry
    const type = given.event === undefined || given.event === '' ? 'message' : given.event
    const text = given.data.replace(/\r\n?/g, '\n')
    expected.events.push({ type, data: text, lastEventId: expected.lastEventId })
  }
  return expected
}

describe('an event stream', () => {
  it('is read as it was written, for any events and cuts', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.array(fc.nat({ max: 9 })), (steps, cuts) => {
        const bytes = Buffer.from(steps.map((given) => (given === null ? ':\n\n' : encodeEvent(given))).join(''))
        const reader = new EventReader()
        let at = 0
        for (const size of cuts) reader.push(bytes.subarray(at, (at += size)))
        reader.push(bytes.subarray(at))
        const { events, lastEventId, retry } = reader
        assert.deepEqual({ events, lastEventId, retry }, expectedOf(steps))
      }),
      { numRuns: 1000 },
    )
  })

  it('throws instead of writing a field that would be read differently', () => {
    fc.assert(
      fc.property(fc.constantFrom('id', 'event'), data, (name, text) => {
        const reader = new EventReader()
        try {
          reader.push(Buffer.from(encodeEvent({ data: 'a', [name]: text })))
        } catch (error) {
          assert.ok(error instanceof TypeError)
          return
        }
        const read = {
          type: name === 'event' && text !== '' ? text : 'message',
          data: 'a',
          lastEventId: name === 'id' ? text : '',
        }
        assert.deepEqual(reader.events, [read])
      }),
      { numRuns: 1000 },
    )
  })
})
