/** Tests of task pages: length, packages, types, and the output of their commands. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { missingPackages, readPage, RunningPage, writePage, type Replacements } from './how-to.js'
import { checkTypes } from './run-examples.js'

const MAX_LINES = 80

/** A server that a page uses, such as a database. */
export interface UsedServer {
  /** Words of the page, such as a port, and their replacements. */
  readonly words: Replacements
  close(): Promise<void>
}

/** Options of the tests. */
export interface PageTests {
  /** Folder for the files of the pages. Node finds their packages above it. */
  readonly folder: string
  /** tsconfig.json with the compiler options. */
  readonly project: string
  /** Starts the server of a page. */
  readonly servers?: Readonly<Record<string, () => Promise<UsedServer>>>
}

/** Defines the tests of pages. */
export function testPages(names: readonly string[], { folder, project, servers = {} }: PageTests): void {
  const parent = join(folder, String(process.pid))
  const pages = names.map(readPage)

  describe('docs/how-to', () => {
    let typeErrors: ReadonlyMap<string, string>

    before(() => {
      const copies = pages.flatMap((page) => listCode(writePage(page, join(parent, 'types')), page.files))
      typeErrors = checkTypes(copies, project)
    })

    after(() => rmSync(parent, { recursive: true, force: true }))

    for (const page of pages) {
      const { name, files, lineCount, unnamed } = page

      it(`${name} has at most ${MAX_LINES} lines, and a file name for each block of code`, () => {
        assert.ok(lineCount <= MAX_LINES, `${lineCount} lines`)
        assert.deepEqual(unnamed, [])
        assert.deepEqual(missingPackages(page), [])
      })

      it(`${name} compiles with strict settings`, () => {
        const paths = listCode(resolve(parent, 'types', `${name}.${process.pid}`), files)
        assert.equal(paths.map((path) => typeErrors.get(path) ?? '').join(''), '')
      })

      it(`${name} responds as shown`, async () => {
        const server = await servers[name]?.()
        try {
          await using running = await RunningPage.create(name, parent, server?.words)
          await running.runAll()
        } finally {
          await server?.close()
        }
      })
    }
  })
}

function listCode(folder: string, files: ReadonlyMap<string, string>): string[] {
  return [...files.keys()].flatMap((path) => (path.endsWith('.ts') ? [join(folder, path)] : []))
}
