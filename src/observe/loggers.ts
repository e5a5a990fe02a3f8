/** Loggers: JSON lines for machines, and readable, colored lines for terminals. */
import { stripVTControlCharacters, styleText } from 'node:util'
import { createLogger, readFields, ignoreErrors, UNREADABLE, type Level, type Logger } from './logger.js'

type WriteText = (text: string) => void

/** Creates a logger that writes readable lines to a terminal, and JSON lines to other streams. */
export function defaultLogger(
  stream: { isTTY?: boolean | undefined; write(text: string): unknown },
  level?: Level,
): Logger {
  const write = (text: string): void => void stream.write(text)
  return stream.isTTY === true ? terminalLogger(write, level) : jsonLogger(write, level)
}

/** Creates a logger that writes JSON lines: `level`, `time` (ISO 8601), the fields, `msg`. */
export function jsonLogger(write: WriteText, least?: Level): Logger {
  return createLogger((level, fields, message) => {
    const text = serializeLine({ level, time: new Date().toISOString(), ...readFields(fields), msg: message })
    // JSON escapes line breaks, but not all characters that move the cursor of a terminal.
    write(`${showControls(text)}\n`)
  }, least)
}

/** Serializes a line. Values that cannot be read or serialized are replaced by a note. */
function serializeLine(line: object): string {
  const text = ignoreErrors(() => JSON.stringify(line, formatReadable))
  if (text !== undefined) return text
  return JSON.stringify(
    Object.fromEntries(Object.entries(line).map(([key, value]) => [key, toWritable(value)])),
    formatReadable,
  )
}

/** Replacer of `JSON.stringify` for bigints and errors. An error becomes its properties, class, message, stack and cause. */
function formatReadable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (!(value instanceof Error)) return value
  return { ...value, type: value.name, message: value.message, stack: value.stack, cause: value.cause }
}

function toWritable(value: unknown): unknown {
  const text = ignoreErrors(() => String(JSON.stringify(value, formatReadable)))
  if (text !== undefined) return value
  return value instanceof Error ? { type: 'Error', stack: readStack(value) } : UNWRITABLE
}

const UNWRITABLE = '[cannot be serialized]'

function readStack(error: Error): string {
  return ignoreErrors(() => String(error.stack ?? error.message)) ?? UNREADABLE
}

// C0, DEL, C1, line and paragraph separators, and the marks, embeddings and isolates that set a direction.
// oxlint-disable-next-line no-control-regex -- it matches control characters
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

export function showControls(text: string): string {
  return text.replace(CONTROL_CHARACTERS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const STYLES = { debug: 'gray', info: 'cyan', warn: 'yellow', error: 'red' } as const

export function terminalLogger(write: WriteText, least?: Level): Logger {
  return createLogger((level, fields, message = '') => {
    const { err, ...rest } = { err: undefined, ...readFields(fields) }
    const words = [
      styleText('gray', new Date().toTimeString().slice(0, 8)),
      styleText(STYLES[level], level.padEnd(5)),
      makeVisible(message),
      ...Object.entries(rest).map(([key, value]) => fieldText(key, value)),
    ]
    write(`${words.filter((word) => word !== '').join(' ')}\n${err === undefined ? '' : indentError(err)}`)
  }, least)
}

function fieldText(key: string, value: unknown): string {
  return `${styleText('gray', `${makeVisible(key)}=`)}${makeVisible(typeof value === 'string' ? value : jsonText(value))}`
}

function jsonText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  return ignoreErrors(() => JSON.stringify(value, formatReadable) ?? String(value)) ?? UNWRITABLE
}

function indentError(error: unknown): string {
  const lines = (error instanceof Error ? readStack(error) : jsonText(error)).split('\n')
  return `${lines.map((line) => `      ${makeVisible(line)}`).join('\n')}\n`
}

/** Escapes control characters, so that values from a request cannot forge a line or move the cursor. */
function makeVisible(text: string): string {
  return showControls(stripVTControlCharacters(text))
}
