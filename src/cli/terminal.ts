/** Output of a command: the result on standard output, messages on standard error. */
import { writeSync } from 'node:fs'
import type { WriteStream } from 'node:tty'
import { noop } from '../values/noop.js'
import { readVariables } from '../values/mode.js'
import { OF_COMMAND } from '../observe/log-output.js'
import { ignoreErrors } from '../observe/logger.js'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
}

export interface Terminal {
  /** Columns of the terminal; `Infinity` if the output is a file or a pipe. */
  readonly width: number
  /** Colors a text of the result, if the output has colors. */
  readonly style: (style: Style, text: string) => string
  /** Writes text of the result. Resolves after the write, or if the reader has closed the pipe. */
  readonly print: (text: string) => Promise<void>
  /** Writes a message immediately, so that it is not lost if the process ends. */
  readonly warn: (text: string) => void
}

/**
 * Takes standard output for the result of the command. Everything else that the process writes to it, such as logs of the app, goes to
 * standard error.
 */
export function takeTerminal(): Terminal {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  Reflect.set(stdout, 'write', stderr.write.bind(stderr))
  Reflect.set(stdout, OF_COMMAND, true)
  // `write` also passes the error to its callback. A reader such as `head` may end early.
  stdout.on('error', noop)
  stderr.on('error', noop)
  const [hasColors, warnsInColor] = [usesColors(stdout, readVariables()), usesColors(stderr, readVariables())]
  return {
    width: stdout.columns ?? Infinity,
    style: (style, text) => (hasColors ? addColor(style, text) : text),
    print: (text) =>
      new Promise((resolve, reject) => {
        write(`${text}\n`, (error) => {
          if (error && Reflect.get(error, 'code') !== 'EPIPE') reject(error)
          else resolve()
        })
      }),
    warn: (text) => {
      const line = `${warnsInColor ? addColor('red', text) : text}\n`
      ignoreErrors(() => writeSync(stderr.fd, line))
    },
  }
}

function addColor(style: Style, text: string): string {
  const [on, off] = CODES[style]
  return `\u001B[${on}m${text}\u001B[${off}m`
}

/** Whether to color a stream: `FORCE_COLOR`, then `NO_COLOR` (https://no-color.org), then whether it is a terminal. */
export function usesColors(
  { isTTY }: Pick<WriteStream, 'isTTY'>,
  { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal }: ReturnType<typeof readVariables>,
): boolean {
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTTY && (none === undefined || none === '') && terminal !== 'dumb'
}

/** A column of a table. */
export interface Column {
  readonly title: string
  readonly paint?: (text: string) => string
}

/**
 * Formats rows as aligned columns. If they are wider than the terminal, the first two columns of a row are on one line, and the others on
 * the next one.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  terminal: Pick<Terminal, 'style' | 'width'>,
): string {
  const all = [columns.map(({ title }) => title), ...rows]
  // A spread of many rows would exceed the stack.
  const widths = columns.map((_, at) => all.reduce((width, row) => Math.max(width, String(row[at]).length), 0))
  const total = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length)
  const isWide = total > terminal.width
  const formatRow = (row: readonly string[], isTitle: boolean): string => {
    const cells = columns.map(({ paint }, at) => {
      const text = String(row[at])
      const padding = ' '.repeat(Number(widths[at]) - text.length)
      return (isTitle ? terminal.style('dim', text) : (paint?.(text) ?? text)) + padding
    })
    if (!isWide) return cells.join(GAP).trimEnd()
    const indent = ' '.repeat(Number(widths[0]) + GAP.length)
    return `${cells.slice(0, 2).join(GAP).trimEnd()}\n${indent}${cells.slice(2).join(GAP).trimEnd()}`
  }
  return all.map((row, at) => formatRow(row, at === 0)).join('\n')
}

const GAP = '  '

/** Longest line of running text. */
const MAX_WIDTH = 120

/** Breaks text into lines that fit the terminal, each with an indent. Keeps the line breaks of the text. */
export function wrapText(text: string, { width }: Pick<Terminal, 'width'>, indent: string = ''): string {
  const available = Math.max(20, Math.min(width, MAX_WIDTH) - indent.length)
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, available))
    .map((line) => (indent + line).trimEnd())
    .join('\n')
}

function wrapLine(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Formats a count with its noun: `1 finding`, `2 findings`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
