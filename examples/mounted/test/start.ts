/** Helpers: the app on a free port, and event streams that must end with the app. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { App } from 'verbena'
import { createMountedApp } from '../app.js'
import { open } from '../ticks.js'

export const ADA = { authorization: 'Bearer token-of-ada' }
/** Maximum time until an app with an open event stream has closed, in ms. */
const MAX_CLOSE = 1_000

export interface RunningApp {
  readonly app: App
  readonly url: string
}

/** Listens on a free port. The app closes after the test. */
export async function start(t: Pick<TestContext, 'after'>, app: App = createMountedApp()): Promise<RunningApp> {
  t.after(() => app.close())
  const { url } = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, url }
}

/** Reads an event stream until it contains a string, closes the app, and reads to the end. Returns the events as text. */
export async function readToClose(app: App, response: Response, first: string): Promise<string> {
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
  const reader = (response.body ?? assert.fail('no body')).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(first)) {
    const { value = '', done } = await reader.read()
    assert.equal(done, false, text)
    text += value
  }
  const closed = closeFast(app)
  // A connection that is cut rejects the read.
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) text += chunk.value
  await closed
  return text
}

/** Closes the app, and fails if this takes a second or leaves a subscription without its cleanup. */
export async function closeFast(app: App): Promise<void> {
  const begin = performance.now()
  await app.close()
  const time = performance.now() - begin
  assert.ok(time < MAX_CLOSE, `closed in ${time} ms`)
  assert.deepEqual([...open], [])
}

/** Builds a POST request with JSON. */
export function json(value: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}
