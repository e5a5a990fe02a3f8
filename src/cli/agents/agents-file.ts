/** AGENTS.md of the user. Only the block in it changes; all other bytes stay the same. */
import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { attempt, CommandError } from '../command.js'
import { AGENTS_FILE, findBlock } from './markers.js'

/** The file and its block. */
interface AgentsFile {
  /** Permissions of the file; `null` if it does not exist. */
  readonly mode: number | null
  /** Version of its block; `null` without a block. */
  readonly version: string | null
  /** Text of its block, with LF; `''` without a block. */
  readonly block: string
  /** Returns the content of the file with another block. */
  readonly withBlock: (block: string) => Buffer
}

/** Reads the file in the current folder. Throws if it is not a file, is not UTF-8, or contains only a part of a block. */
export function readAgentsFile(): AgentsFile {
  const mode = readFileMode()
  const bytes = mode === null ? Buffer.alloc(0) : readBytes()
  // A character is a byte, so positions are the same, and bytes that are not UTF-8 stay.
  const text = bytes.toString('latin1')
  const foundBlock = findBlock(text)
  const lineEnd = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n'
  const toBytes = (block: string): Buffer => Buffer.from(block.replaceAll('\n', lineEnd))
  if (foundBlock === null) {
    const gap = formatGap(text)
    return { mode, version: null, block: '', withBlock: (block) => Buffer.concat([bytes, toBytes(`${gap}${block}\n`)]) }
  }
  const { version, start, end } = foundBlock
  return {
    mode,
    version,
    block: bytes.toString('utf8', start, end).replaceAll('\r\n', '\n'),
    withBlock: (block) => Buffer.concat([bytes.subarray(0, start), toBytes(block), bytes.subarray(end)]),
  }
}

/** Returns the permissions of the file; `null` if it does not exist. A rename would replace a link, and keep its target as it is. */
function readFileMode(): number | null {
  const stats = attempt(`Cannot read ${AGENTS_FILE}: `, () => lstatSync(AGENTS_FILE, { throwIfNoEntry: false }))
  if (stats === undefined) return null
  if (stats.isFile()) return stats.mode & 0o777
  const state = stats.isSymbolicLink()
    ? 'it is a link. Replace it with a file, to which the other name can be a link'
    : 'it is not a file. Rename it'
  throw new CommandError(`Cannot write ${AGENTS_FILE}: ${state}`)
}

function readBytes(): Buffer {
  const bytes = attempt(`Cannot read ${AGENTS_FILE}: `, () => readFileSync(AGENTS_FILE))
  if (!bytes.includes(0)) return bytes
  throw new CommandError(`Cannot write ${AGENTS_FILE}: it contains a NUL byte, so it is not UTF-8. Save it as UTF-8`)
}

/** Returns the line ends before an appended block, so that it follows an empty line. */
function formatGap(text: string): string {
  if (text === '' || /(?:^|\n)\r?\n$/.test(text)) return ''
  return text.endsWith('\n') ? '\n' : '\n\n'
}

/** Writes another file and renames it, so that the file is never incomplete. A file without permission to write is an error. */
export function writeAgentsFile(content: Buffer, mode: number | null): void {
  const draft = `${AGENTS_FILE}.${randomUUID()}`
  attempt(`Cannot write ${AGENTS_FILE}: `, () => {
    if (mode !== null) closeSync(openSync(AGENTS_FILE, 'r+'))
    try {
      writeFileSync(draft, content, { flag: 'wx' })
      if (mode !== null) chmodSync(draft, mode)
      renameSync(draft, AGENTS_FILE)
    } finally {
      rmSync(draft, { force: true })
    }
  })
}
