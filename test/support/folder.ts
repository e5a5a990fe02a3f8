/** A folder of files for tests: made in a temporary place, changed long ago, and removed at the end. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'

/** When its files were changed. */
export const CHANGED: Date = new Date('1994-11-06T08:49:37Z')
export const CHANGED_TEXT: string = CHANGED.toUTCString()

/** Makes a folder of files, by their paths in it. */
export function createDirectory(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'verbena-files-')))
  after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, CHANGED, CHANGED)
  }
  return folder
}
