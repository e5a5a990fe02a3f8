/** The files that the servers of F1 to F3 serve. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Sizes in bytes. */
const FILES = { 'small.css': 2_000, 'image.png': 30_000, 'large.bin': 5_000_000 }
/** An old date, because the ETag of a new file is weak. */
const CHANGED = new Date('2026-01-01T00:00:00Z')

/** Creates a directory with the files. It is deleted when the process exits. */
export function createFileRoot() {
  const root = mkdtempSync(join(tmpdir(), 'verbena-bench-files-'))
  process.on('exit', () => rmSync(root, { recursive: true, force: true }))
  for (const [name, size] of Object.entries(FILES)) {
    writeFileSync(join(root, name), Buffer.alloc(size, 'x'))
    utimesSync(join(root, name), CHANGED, CHANGED)
  }
  return root
}
