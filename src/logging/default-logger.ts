/** The logger of an app that brings none. */
import { jsonLogger } from './lines.js'
import type { Logger } from './logger.js'
import { terminalLogger } from './terminal.js'

/** What is asked of the stream that lines are written to. */
export interface LogStream {
  readonly isTTY?: boolean | undefined
  write(text: string): unknown
}

/** Readable lines when the stream is a terminal, JSON lines otherwise. */
export function defaultLogger(stream: LogStream): Logger {
  const write = (text: string): void => void stream.write(text)
  return stream.isTTY === true ? terminalLogger(write) : jsonLogger(write)
}
