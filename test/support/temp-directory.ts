/** Creates temporary folders of files with an old modification time, and removes them after the tests. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'

/** Modification time of the files. */
export const CHANGED: Date = new Date('1994-11-06T08:49:37Z')
export const CHANGED_TEXT: string = CHANGED.toUTCString()

/** Creates a folder with these files, given by their paths inside it. */
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
