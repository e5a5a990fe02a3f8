/** Log lines for a person at a terminal: time, level, message, fields, and the stack of an error. */
import { stripVTControlCharacters, styleText } from 'node:util'
import { jsonLogger, readable, showControls, type WriteText } from './lines.js'
import { type Level, type Logger, loggerOf, readFields } from './logger.js'

const STYLES = { debug: 'gray', info: 'cyan', warn: 'yellow', error: 'red' } as const

/** A logger that writes readable, coloured lines. */
export function terminalLogger(write: WriteText): Logger {
  return loggerOf((level, fields, message = '') => {
    const { err, ...rest } = { err: undefined, ...readFields(fields) }
    const words = [
      clock(),
      label(level),
      visible(message),
      ...Object.entries(rest).map(([key, value]) => field(key, value)),
    ]
    write(`${words.filter((word) => word !== '').join(' ')}\n${err === undefined ? '' : stackOf(err)}`)
  })
}

function clock(): string {
  return styleText('gray', new Date().toTimeString().slice(0, 8))
}

function label(level: Level): string {
  return styleText(STYLES[level], level.padEnd(5))
}

function field(key: string, value: unknown): string {
  const text = typeof value === 'string' ? value : inspectQuietly(value)
  return `${styleText('gray', `${visible(key)}=`)}${visible(text)}`
}

function inspectQuietly(value: unknown): string {
  try {
    return typeof value === 'bigint' ? String(value) : (JSON.stringify(value, readable) ?? String(value))
  } catch {
    return '[cannot be serialised]'
  }
}

function stackOf(error: unknown): string {
  const lines = errorText(error).split('\n')
  return `${lines.map((line) => `      ${visible(line)}`).join('\n')}\n`
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return inspectQuietly(error)
  try {
    return String(error.stack ?? error.message)
  } catch {
    return '[cannot be read]'
  }
}

/** What a request sends can neither forge a line nor move the cursor. */
function visible(text: string): string {
  return showControls(stripVTControlCharacters(text))
}

interface LogStream {
  readonly isTTY?: boolean | undefined
  write(text: string): unknown
}

/** Readable lines when the stream is a terminal, JSON lines otherwise. */
export function defaultLogger(stream: LogStream): Logger {
  const write = (text: string): void => void stream.write(text)
  return stream.isTTY === true ? terminalLogger(write) : jsonLogger(write)
}
