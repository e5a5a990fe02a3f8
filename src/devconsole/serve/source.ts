/** Reads source lines around a frame of a recorded error. The console reads no other files. */
import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, resolve, sep } from 'node:path'
import type { RequestRedactor } from '../redact/request-redactor.js'
import type { SourceExcerpt, StackFrame } from '../wire/request-types.js'

const LINES_AROUND = 5
const MAX_FILE_SIZE = 2 * 1024 * 1024
const MAX_LINE_LENGTH = 500
const CODE = /\.[cm]?[jt]sx?$/

export async function readSource(
  frame: StackFrame,
  root: string,
  hider: RequestRedactor,
): Promise<SourceExcerpt | null> {
  const path = isAbsolute(frame.file) ? frame.file : resolve(root, frame.file)
  if (frame.kind === 'node' || !CODE.test(path) || !path.startsWith(`${root}${sep}`)) return null
  const text = await readSourceText(path)
  if (text === null) return null
  const first = Math.max(1, frame.line - LINES_AROUND)
  const lines = text.split(/\r?\n/).slice(first - 1, frame.line + LINES_AROUND)
  if (lines.length === 0) return null
  const { file, line } = frame
  return { file, line, first, lines: lines.map((code) => hider.hide(code.slice(0, MAX_LINE_LENGTH))) }
}

async function readSourceText(path: string): Promise<string | null> {
  try {
    const stats = await stat(path)
    return stats.isFile() && stats.size <= MAX_FILE_SIZE ? await readFile(path, 'utf8') : null
  } catch {
    return null
  }
}
