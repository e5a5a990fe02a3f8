import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { EventReader } from '#test/event-reader.js'
import { testApp, type TestApp } from 'verbena/testing'
import { postJson, type HiddenTests } from '../hidden-tests.js'

/** Time for the app to begin a stream, and for an event that may never arrive, in ms. */
const [START, PATIENCE] = [50, 3_000]

/** Connects as a page, publishes news, reads the stream until they arrive, and disconnects. */
async function readEvents({ fetch }: TestApp, text: string, lastEventId = ''): Promise<EventReader> {
  const headers = lastEventId === '' ? {} : { 'last-event-id': lastEventId }
  const response = await fetch('/news/events', { headers })
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  const stream = response.body?.getReader()
  const reader = new EventReader(lastEventId)
  const isComplete = (): boolean => reader.events.some(({ data }) => JSON.parse(data).text === text)
  const read = async (): Promise<void> => {
    while (!isComplete()) {
      const chunk = await stream?.read()
      if (chunk?.value === undefined) return
      reader.push(chunk.value)
    }
  }
  const done = read()
  await sleep(START)
  assert.equal((await fetch('/news', postJson({ text }))).status, 204)
  const timer = setTimeout(() => void stream?.cancel(), PATIENCE)
  await done
  clearTimeout(timer)
  await stream?.cancel()
  return reader
}

const readTexts = ({ events }: EventReader): string[] => events.map(({ data }) => JSON.parse(data).text)

export const hidden: HiddenTests = {
  async 'sends what is published'({ app }) {
    await using test = await testApp(app)
    assert.deepEqual(readTexts(await readEvents(test, 'one')), ['one'])
    assert.equal((await test.fetch('/news', postJson({ text: 7 }))).status, 422)
  },

  async 'sends what a page has missed'({ app }) {
    await using test = await testApp(app)
    const { lastEventId } = await readEvents(test, 'one')
    await test.fetch('/news', postJson({ text: 'two' }))
    const texts = readTexts(await readEvents(test, 'three', lastEventId))
    assert.deepEqual(texts, ['two', 'three'], `A page that lost its connection got ${texts.join(', ')}, without "two"`)
  },
}
