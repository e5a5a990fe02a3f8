/** Event streams of the client: WHATWG HTML section 9.2, with streams of other servers than Verbena. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, events, Route } from 'verbena'
import { createClient } from 'verbena/client'
import * as z from 'zod'
import { EventReader } from '#test/event-reader.js'
import { createRandom } from '#test/mutator.js'

class Numbers extends Route {
  static readonly get = this.contract({ returns: events(z.number()) })
  async *get() {
    yield { data: 1 }
  }
}
const app = createApp({ routes: { Numbers }, logger: false })

/** Returns the events that the client reads from these chunks. */
async function read(chunks: readonly (string | Uint8Array)[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk))
      controller.close()
    },
  })
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
  const api = createClient<typeof app>('http://a', { fetch: async () => new Response(body, { headers }) })
  const answer = await api('/numbers').get()
  assert.ok(answer.ok)
  const seen: object[] = []
  for await (const event of answer.body) seen.push(event)
  return seen
}

const ENDS = ['\n', '\r', '\r\n']

/** Texts that the standard defines, with the events that the client yields. */
const STREAMS: readonly [about: string, text: string, events: readonly object[]][] = [
  ['LF', 'data:1\n\ndata:2\n\n', [{ data: 1 }, { data: 2 }]],
  ['CRLF', 'data:1\r\n\r\ndata:2\r\n\r\n', [{ data: 1 }, { data: 2 }]],
  ['CR', 'data:1\r\rdata:2\r\r', [{ data: 1 }, { data: 2 }]],
  ['mixed line ends', 'data:1\r\n\ndata:2\n\r\ndata:3\r\r\n', [{ data: 1 }, { data: 2 }, { data: 3 }]],
  ['a byte order mark', '\uFEFFdata:1\n\n', [{ data: 1 }]],
  ['a second byte order mark, which belongs to the field', '\uFEFF\uFEFFdata:1\n\n', []],
  ['comments', ':\n: data:1\n:data\ndata:1\n:\n\n', [{ data: 1 }]],
  ['data of several lines', 'data:[1\ndata:,\ndata\ndata: 2]\n\n', [{ data: [1, 2] }]],
  ['strings with spaces', 'data: " a"\n\ndata:  2\n\n', [{ data: ' a' }, { data: 2 }]],
  ['unknown fields', 'metadata:0\ndat:0\n data:0\nDATA:0\nretries:0\n__proto__:0\ndata:1\n\n', [{ data: 1 }]],
  ['an event without data', 'event:a\nretry:1\n\ndata:1\n\n', [{ data: 1 }]],
  ['an event without a name', 'event:a\nevent:\ndata:1\n\n', [{ data: 1 }]],
  ['the last name', 'event:a\nevent:b\ndata:1\n\n', [{ data: 1, event: 'b' }]],
  [
    'an id, which continues to apply',
    'id:7\ndata:1\n\ndata:2\n\n',
    [
      { data: 1, id: '7' },
      { data: 2, id: '7' },
    ],
  ],
  ['an id without data', 'id:7\n\ndata:1\n\n', [{ data: 1, id: '7' }]],
  [
    'an id with NUL, which is ignored',
    'id:7\ndata:1\n\nid:\0\ndata:2\n\n',
    [
      { data: 1, id: '7' },
      { data: 2, id: '7' },
    ],
  ],
  [
    'an empty id, with and without a colon',
    'id:7\nid\ndata:1\n\nid:\ndata:2\n\n',
    [
      { data: 1, id: '' },
      { data: 2, id: '' },
    ],
  ],
  ['a time', 'retry:010\ndata:1\n\n', [{ data: 1, retry: 10 }]],
  [
    'a time that is not only digits',
    'retry:1e3\nretry:-1\nretry: \nretry:+1\nretry:1.5\nretry:٣\ndata:1\n\n',
    [{ data: 1 }],
  ],
  ['an incomplete event', 'data:1\n\ndata:2\n', [{ data: 1 }]],
  ['an incomplete line', 'data:1\n\ndata:2\n\nda', [{ data: 1 }, { data: 2 }]],
  ['no byte', '', []],
]

describe('createClient(): parsed event streams', () => {
  for (const [about, text, expected] of STREAMS) {
    it(`reads ${about}`, async () => {
      assert.deepEqual(await read([text]), expected)
      assert.deepEqual(await read([...Buffer.from(text)].map((byte) => Uint8Array.of(byte))), expected)
    })
  }

  it('yields an event when its empty line ends with CR', async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from('data:1\r\r'))
      },
    })
    const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const answer = await createClient<typeof app>('http://a', { fetch: async () => response })('/numbers').get()
    assert.ok(answer.ok)
    for await (const event of answer.body) {
      assert.deepEqual(event, { data: 1 })
      break
    }
  })

  it('reads the same events as the reference parser from random streams and chunks', async () => {
    const random = createRandom(51)
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] ?? assert.fail()
    const others = ['id:1', 'id: ü', 'id', 'id:\0', 'event:a', 'event', 'retry:5', 'retry:x', ':', ': data:0']
    for (let run = 0; run < 300; run++) {
      const blocks = Array.from({ length: 9 }, () => {
        const data = pick([[], ['data:1'], ['data: [1,', 'data:2]'], ['data', 'data:  3', 'data:']])
        const lines = [...data.flatMap((line) => [pick(others), line]), pick(others)].map((line) => line + pick(ENDS))
        // An LF could belong to the CR of the last line.
        return lines.join('') + pick(['\r', '\r\n'])
      })
      const bytes = Buffer.from(blocks.join(''))
      const reader = new EventReader()
      reader.push(bytes)
      const chunks: Uint8Array[] = []
      for (let at = 0; at < bytes.length;) chunks.push(bytes.subarray(at, (at += 1 + Math.floor(random() * 9))))
      const seen = (await read(chunks)).map((event) => {
        const { data, id = '', event: type = 'message' } = Object(event)
        return { type, data, lastEventId: id }
      })
      const expected = reader.events.map((event) => ({ ...event, data: JSON.parse(event.data) }))
      assert.deepEqual(seen, expected, JSON.stringify(blocks.join('')))
    }
  })
})
