/** Records the lines of `verbena dev` about the code of the app, such as failed tests, in the log of the console. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isObject } from '../../values/objects.js'
import type { Recorder } from './recorder.js'

/** The preload of `verbena dev` publishes to it. */
const CHANNEL = 'verbena:dev'

/** Subscribes to the lines. Returns a function that ends the subscription. */
export function recordDevLines(recorder: Recorder): () => void {
  const record = (line: unknown): void => {
    if (!isObject(line)) return
    recorder.lineOf(null, { level: String(line['level']), message: String(line['message']), fields: {} })
  }
  subscribe(CHANNEL, record)
  return () => void unsubscribe(CHANNEL, record)
}
