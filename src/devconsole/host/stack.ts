/** Parses the stacks of errors. */
import { fileURLToPath } from 'node:url'
import { detachString } from '../../secrets/detach-string.js'
import { valueOr } from '../../values/value-or.js'
import { cut } from '../redact/cut.js'
import type { CodePlace, ErrorDetail, StackFrame } from '../wire/request-types.js'

type Frame = Omit<StackFrame, 'n'>
const MAX_FRAMES = 50
const MAX_TRACE_LENGTH = 16_384
const MAX_LINE_LENGTH = 1_000
const MAX_NAME_LENGTH = 200
const OWN_FRAME = ownFolder(import.meta.url)

/** Returns the directory of Verbena, as source or as published; `null` in a bundle, which also contains the app. */
export function ownFolder(url: string): string | null {
  const [, folder] = /^(.*\/)(?:devconsole\/host\/stack\.ts|(?<=\/dist\/)console\.js)$/.exec(url) ?? []
  return folder === undefined ? null : fileURLToPath(folder)
}

export function parseStack(stack: string, message: string, root: string): Frame[] {
  const messageStart = message === '' ? 0 : stack.indexOf(message)
  const trace = messageStart < 0 ? '' : cut(stack.slice(messageStart + message.length), MAX_TRACE_LENGTH)
  const lines = trace.split('\n').filter((line) => line.trimStart().startsWith('at '))
  return lines.slice(0, MAX_FRAMES).flatMap((line) => readLine(line, root) ?? [])
}

/** Parses one line of a stack. Returns `undefined` if it has no position in a file. */
export function readLine(line: string, root: string): Frame | undefined {
  const text = line.slice(0, MAX_LINE_LENGTH).trim().replace(/^at /, '')
  const open = text.endsWith(')') ? text.lastIndexOf(' (') : -1
  const place = open < 0 ? text.replace(/^async /, '') : text.slice(open + 2, -1)
  const parts = /^(.+):(\d+):(\d+)$/.exec(place)
  if (parts === null) return undefined
  const [, where = '', row, column] = parts
  const name = open < 0 ? '' : text.slice(0, open).replace(/^async /, '')
  const path = where.startsWith('file:') ? valueOr(() => fileURLToPath(where), where) : where
  // A slice would keep the whole stack in memory.
  const file = detachString(path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path)
  return {
    function: cut(name, MAX_NAME_LENGTH),
    file,
    line: Number(row),
    column: Number(column),
    kind: frameKind(path, root),
  }
}

export function collectFrames(error: ErrorDetail): StackFrame[] {
  const { frames, cause, members } = error
  return [...frames, ...(cause === null ? [] : collectFrames(cause)), ...members.flatMap(collectFrames)]
}

export function framePlace(line: string | undefined, root: string): CodePlace | null {
  const frame = line === undefined ? undefined : readLine(line, root)
  return frame === undefined ? null : { file: frame.file, line: frame.line }
}

function frameKind(path: string, root: string): Frame['kind'] {
  if (path.startsWith('node:')) return 'node'
  if (path.includes('/node_modules/') || (OWN_FRAME !== null && path.startsWith(OWN_FRAME))) return 'library'
  return path.startsWith(`${root}/`) ? 'app' : 'library'
}
