/** Records, log lines and problems that the console sends to `verbena dev`, and their limits. */
/* oxlint-disable import/first -- the environment is read when modules load */
import '#test/development.js'
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import { MAX_RECORD_BYTES, RecordSender } from '#src/cli/dev/send-records.js'
import type { FromConsole } from '#src/cli/dev/message-types.js'
import type { ConsoleSource } from '#src/devconsole/record/dev-lines.js'
import type { Incident } from '#src/devconsole/wire/feed-types.js'
import type { RequestRecord, RecordedServiceCall } from '#src/devconsole/wire/request-types.js'
import { openConsole, post } from '#test/console.js'
import { createRecorded } from '#test/console-records.js'
import { eventually } from '#test/eventually.js'

const SOURCE: ConsoleSource = {
  observe: () => {},
  show: ({ record }) => ({ ...record, callOuts: [], about: [] }),
  addSource: (record) => Promise.resolve(record),
}
const INCIDENT: Incident = {
  ...{ key: 'stall', kind: 'stall', endpoint: null, title: ['Blocked'], detail: '', count: 1, unit: 'times' },
  ...{ trend: [], first: 1, last: 1, facts: [], query: '', sample: null },
}
const LINE = { seq: 1, time: 1, level: 'info', message: 'hello', fields: null, request: null }
const CALL: RecordedServiceCall = {
  ...{ name: 'a.b', start: 0, duration: 1, own: 1, args: 'x'.repeat(2_000), result: null, error: null, site: null },
}

interface Sent {
  readonly sender: RecordSender
  readonly messages: FromConsole[]
  /** Waits until the sender has nothing left, and returns the records. */
  readonly records: () => Promise<RequestRecord[]>
}

function createSender(accepts: (message: FromConsole) => boolean = () => true): Sent {
  const messages: FromConsole[] = []
  const send = (message: FromConsole): boolean => accepts(message) && messages.push(message) > 0
  const records = async (): Promise<RequestRecord[]> => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return messages.flatMap((message) => (message.verbena === 'record' ? [JSON.parse(message.text)] : []))
  }
  return { sender: new RecordSender(SOURCE, send), messages, records }
}

const dropped = (messages: readonly FromConsole[]): number =>
  messages.reduce((sum, message) => sum + (message.verbena === 'record' ? message.dropped : 0), 0)

describe('records for verbena dev', () => {
  it('sends a request of an app with its error, its source lines and its log, after the response', async () => {
    const messages: FromConsole[] = []
    const attach = (published: unknown): void => {
      // Proof: the console publishes its source.
      const source = published as ConsoleSource
      source.observe(new RecordSender(source, (message) => messages.push(message) > 0))
    }
    subscribe('verbena:dev:console', attach)
    const { url, close } = await openConsole()
    unsubscribe('verbena:dev:console', attach)
    await post(`${url}/books/1`, { title: 'wrong', password: 'hunter2' })
    await fetch(`${url}/books/1`)
    const texts = await eventually(() => {
      const found = messages.flatMap((message) => (message.verbena === 'record' ? [message.text] : []))
      assert.equal(found.length, 2)
      return found
    })
    await close()
    const [failed, fine] = texts.map((text) => JSON.parse(text))
    assert.deepEqual([failed['http.response.status_code'], failed.error.name], [500, 'TypeError'])
    assert.ok(failed.error.source.lines.some((line: string) => line.includes('No such book')))
    assert.equal(failed.callOuts[0].kind, 'bad')
    assert.equal(fine['http.response.status_code'], 200)
    const lines = messages.flatMap((message) => (message.verbena === 'lines' ? message.lines : []))
    assert.ok(lines.some(({ message, request }) => message === 'looking' && request === fine.id))
    assert.ok(!JSON.stringify(messages).includes('hunter2'))
  })

  it('sends problems without a request separately', async () => {
    const { sender, messages } = createSender()
    sender.incident(INCIDENT)
    sender.incident({ ...INCIDENT, sample: 'r_1' })
    assert.deepEqual(messages, [{ verbena: 'incident', incident: INCIDENT }])
  })

  it('omits bodies of a large record, then its calls and lines, and then drops it', async () => {
    const { sender, messages, records } = createSender()
    const text = 'x'.repeat(MAX_RECORD_BYTES)
    const body = { type: 'text/plain', size: text.length, text, hex: null, truncated: false, omitted: null }
    const large = { headers: [], body }
    const calls = Array.from({ length: 40 }, () => CALL)
    sender.request(createRecorded({ seq: 1, request: large }))
    sender.request(createRecorded({ seq: 2, response: large, calls, callsMore: 2 }))
    sender.request(createRecorded({ seq: 3, 'url.path': text }))
    sender.request(createRecorded({ seq: 4 }))
    const [first, second, third, ...others] = await records()
    assert.deepEqual(others, [])
    assert.deepEqual([first?.request.body?.text, first?.request.body?.size], [null, text.length])
    assert.match(String(first?.request.body?.omitted), /too large/)
    assert.equal(first?.response.body, null)
    assert.deepEqual([second?.calls, second?.callsMore, second?.queriesMore], [[], 42, 0])
    assert.equal(third?.seq, 4)
    assert.equal(dropped(messages), 1)
    assert.ok(
      messages.every((message) => message.verbena !== 'record' || Buffer.byteLength(message.text) <= MAX_RECORD_BYTES),
    )
  })

  it('keeps at most 200 records and lines in a turn, and counts the others', async () => {
    const { sender, messages, records } = createSender()
    for (let seq = 1; seq <= 250; seq++) {
      sender.request(createRecorded({ seq }))
      sender.line({ line: { ...LINE, seq }, bytes: 10 })
    }
    assert.equal((await records()).length, 200)
    assert.equal(dropped(messages), 50)
    const lines = messages.flatMap((message) => (message.verbena === 'lines' ? message.lines : []))
    assert.equal(lines.length, 200)
  })

  it('drops records while verbena dev is busy, and reports their number with the next one', async () => {
    let isBehind = true
    const { sender, messages, records } = createSender(() => !isBehind)
    sender.request(createRecorded({ seq: 1 }))
    sender.request(createRecorded({ seq: 2 }))
    assert.deepEqual(await records(), [])
    isBehind = false
    sender.request(createRecorded({ seq: 3 }))
    assert.deepEqual(
      (await records()).map(({ seq }) => seq),
      [3],
    )
    assert.equal(dropped(messages), 2)
  })

  it('ignores an error while source lines are read', async () => {
    const messages: FromConsole[] = []
    const source = { ...SOURCE, addSource: () => Promise.reject(new Error('no source')) }
    const sender = new RecordSender(source, (message) => messages.push(message) > 0)
    sender.request(createRecorded())
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepEqual(messages, [])
  })
})
