/** Parses files that are opened in the page: HAR files, records copied as JSON, and the file of `devConsole.keep`. */
import { isJson, objectOrEmpty } from '../../../src/devconsole/wire/json-schema.js'
import { parseRecord } from './parse-record.js'
import type { ShownRecord } from '../../../src/devconsole/wire/view-types.js'
import { formatBytes, formatCount } from './format.js'
import { parseHarEntry } from './parse-har.js'
import { fileBoot } from './runs.js'

/** Maximum size of a file. Parsing this size takes about a second. */
export const MAX_FILE_BYTES = 50_000_000
/** Maximum number of requests of a file. */
export const MAX_FILE_RECORDS = 2_000

interface RecordFile {
  /** Newest first. */
  readonly records: readonly ShownRecord[]
  /** Sentence about requests of the file that are not in `records`; empty if all are. */
  readonly note: string
}

/** Returns why a file cannot be opened, before it is read; `null` if it can be read. */
export function findFileError(files: readonly { readonly name: string; readonly size: number }[]): string | null {
  const [file, ...others] = files
  if (file === undefined || others.length > 0) return 'Open one file at a time.'
  if (file.size === 0) return 'The file is empty, or it is a folder. Export the requests again.'
  if (file.size <= MAX_FILE_BYTES) return null
  return `The file has ${formatBytes(file.size)}, and the maximum is ${formatBytes(MAX_FILE_BYTES)}. Export fewer requests.`
}

/**
 * Parses a file. If the file has no requests, returns the reason as a string.
 *
 * @param number number of the file, which is a part of the ids of its requests
 */
export function parseRecordFile(text: string, number: number): RecordFile | string {
  const content = parseJson(text)
  if (content === undefined) return 'The file is not JSON. Open a HAR file or a JSON record of the console.'
  if (isJson(content) && 'log' in content) return parseHar(content['log'], number)
  const items = isJson(content) && 'records' in content ? content['records'] : content
  const parsedItems = parseItems(Array.isArray(items) ? items : [items], parseStoredRecord)
  if (parsedItems.records.length > 0) return createFile(parsedItems, number)
  return 'The file contains neither a HAR archive nor a record of the console. Open another file.'
}

function parseHar(log: unknown, number: number): RecordFile | string {
  const { entries } = objectOrEmpty(log)
  if (!Array.isArray(entries)) return 'The HAR file has no list "log.entries". Export it again.'
  if (entries.length === 0) return 'The HAR file contains no requests. Export it again.'
  const parsedItems = parseItems(entries, parseHarEntry)
  if (parsedItems.records.length > 0) return createFile(parsedItems, number)
  return 'No entry of the HAR file has both an HTTP URL and a time. Export it again.'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface ParsedItems {
  readonly records: readonly ShownRecord[]
  readonly invalid: number
  readonly beyond: number
}

/** Lists of requests in files are sorted by time, so the last ones are the newest. */
function parseItems(items: readonly unknown[], parse: (value: unknown) => ShownRecord | null): ParsedItems {
  const newest = items.slice(-MAX_FILE_RECORDS)
  const records = newest.flatMap((item) => parse(item) ?? [])
  return { records, invalid: newest.length - records.length, beyond: items.length - newest.length }
}

/** Discards records whose log lines are nested too deeply to be formatted. */
function parseStoredRecord(value: unknown): ShownRecord | null {
  try {
    const record = parseRecord(value)
    JSON.stringify(record?.logs)
    return record
  } catch {
    return null
  }
}

/** Requests receive new ids, because the app can have a request with the same id. A file has no pins. */
function createFile({ records, invalid, beyond }: ParsedItems, number: number): RecordFile {
  const boot = fileBoot(number)
  const sorted = records.toSorted((a, b) => a.time - b.time)
  const ids = new Map(sorted.map(({ id }, index) => [id, `${boot}-${index}`]))
  const numbered = sorted.map((record, seq): ShownRecord => {
    const original = record['dev.replayOf']
    const replayOf = original === null ? null : (ids.get(original) ?? null)
    return { ...record, id: `${boot}-${seq}`, boot, seq, 'dev.replayOf': replayOf, 'dev.pinned': false }
  })
  return { records: numbered.toReversed(), note: describeRest(invalid, beyond) }
}

function describeRest(incomplete: number, older: number): string {
  const counts = [
    incomplete === 0 ? '' : formatCount(incomplete, 'incomplete request'),
    older === 0 ? '' : formatCount(older, 'older request'),
  ]
  const text = counts.filter((count) => count !== '').join(', ')
  return text === '' ? '' : `Not listed: ${text}.`
}
