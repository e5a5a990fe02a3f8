/** The app of a task page, in this process. */
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { App } from 'verbena'
import { findFreePort, readPage, writePage, type Replacements } from '../../../test/support/how-to.js'

const FOLDER = resolve('.cache', 'how-to')
let count = 0

/** Writes the files of a page into a new folder, and returns it. */
export function writePageFiles(name: string, words: Replacements = {}): string {
  count += 1
  const parent = join(FOLDER, `${process.pid}-${count}`)
  process.once('exit', () => rmSync(parent, { recursive: true, force: true }))
  return writePage(readPage(name), parent, words)
}

/** Imports a file of a page. Its exports have no types here. */
export async function importFile(folder: string, path: string) {
  return import(pathToFileURL(join(folder, path)).href)
}

/** Imports the app of a page, which is not listening. */
export async function importApp(name: string, words?: Replacements): Promise<App> {
  return (await importFile(writePageFiles(name, words), 'src/app.ts')).app
}

/** Imports `src/server.ts` of a page, which opens a port. */
export async function startServer(name: string, words: Replacements = {}) {
  const port = String(await findFreePort())
  // Some pages read it, and the shell of the tests may have one.
  process.env['PORT'] = port
  const folder = writePageFiles(name, { ...words, 3000: port })
  const { app }: { readonly app: App } = await importFile(folder, 'src/app.ts')
  // As in a terminal, because the code may read files.
  process.chdir(folder)
  await importFile(folder, 'src/server.ts')
  return { app, folder, url: `http://127.0.0.1:${port}` }
}
