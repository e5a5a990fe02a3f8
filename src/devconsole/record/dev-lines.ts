/** Connects the console with `verbena dev`: its lines about the code of the app appear in the log, and it can read the records. */
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isObject } from '../../values/objects.js'
import type { StoredRecord } from '../store/record-store.js'
import type { ShownRecord } from '../wire/view-types.js'
import type { Recorder, RecorderObserver } from './recorder.js'

/** The preload of `verbena dev` publishes to it. */
const CHANNEL = 'verbena:dev'
/** Each console publishes its `ConsoleSource` to it. Without the preload, it has no subscriber. */
const SOURCES = channel('verbena:dev:console')

export type RecordObserver = Pick<RecorderObserver, 'request' | 'line' | 'incident'>

/** The data of a console. */
export interface ConsoleSource {
  /** Calls the observer after the page. */
  observe(observer: RecordObserver): void
  /** Returns all data of a request. */
  show(recorded: StoredRecord): ShownRecord
  /** Adds the source lines of its error. */
  addSource(record: ShownRecord): Promise<ShownRecord>
}

export function publishSource(source: ConsoleSource): void {
  SOURCES.publish(source)
}

/** Subscribes to the lines. Returns a function that ends the subscription. */
export function recordDevLines(recorder: Recorder): () => void {
  const record = (line: unknown): void => {
    if (!isObject(line)) return
    recorder.lineOf(null, { level: String(line['level']), message: String(line['message']), fields: {} })
  }
  subscribe(CHANNEL, record)
  return () => void unsubscribe(CHANNEL, record)
}
