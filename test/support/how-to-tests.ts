/** Tests of task pages: length, packages, types, findings, and the output of their commands. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  missingPackages,
  readPage,
  RunningPage,
  TSCONFIG,
  writePage,
  type Ending,
  type Files,
  type Page,
  type Replacements,
} from './how-to.js'
import { hasApp, readFindings } from './how-to-project.js'
import { checkTypes } from './run-examples.js'

const MAX_LINES = 80

/** A server that a page uses, such as a database. */
export interface UsedServer {
  /** Words of the page, such as a port, and their replacements. */
  readonly words: Replacements
  /** Stops the server for a second, and starts it again. The app of the page must survive this. */
  restart?(): Promise<void>
  close(): Promise<void>
}

/** Starts a server for the port in a page. */
export async function servePage(port: string, listener: RequestListener): Promise<UsedServer> {
  const server = createServer(listener).listen(0)
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { words: { [port]: String(address.port) }, close }
}

/** Options of the tests. */
export interface PageTests {
  /** Folder for the files of the pages. Node finds their packages above it. */
  readonly folder: string
  /** tsconfig.json with the compiler options. */
  readonly project: string
  /** Files of the project before a page, by the name of the page. */
  readonly existing?: Readonly<Record<string, Files>>
  /** Further code of the example. It is checked with the pages, because another program would take 10 s. */
  readonly sources?: readonly string[]
  /** Starts the server of a page. */
  readonly servers?: Readonly<Record<string, () => Promise<UsedServer>>>
}

/** Defines the tests of pages. */
export function testPages(
  names: readonly string[],
  { folder, project, existing = {}, sources = [], servers = {} }: PageTests,
): void {
  const parent = resolve(folder, String(process.pid))
  const isOtherProject = ({ name }: Page): boolean => TSCONFIG in (existing[name] ?? {})
  // A page with compiler options is a separate program.
  const hasOptions = (page: Page): boolean => page.files.has(TSCONFIG) || isOtherProject(page)
  const listCode = (page: Page): string[] => {
    const remaining = isOtherProject(page) ? [] : page.remaining.keys()
    const paths = [...new Set([...remaining, ...page.files.keys()])]
    return paths.filter((path) => path.endsWith('.ts')).map((path) => join(parent, page.name, path))
  }
  const pages = names.map(readPage)
  after(() => rmSync(parent, { recursive: true, force: true }))

  describe('docs/how-to', () => {
    for (const page of pages) {
      it(`${page.name} has at most ${MAX_LINES} lines, and a file name for each block of code`, () => {
        assert.ok(page.lineCount <= MAX_LINES, `${page.lineCount} lines`)
        assert.deepEqual(page.unnamed, [])
        assert.deepEqual(missingPackages(page, existing[page.name]), [])
      })

      it(`${page.name} responds as shown`, async () => {
        const server = await servers[page.name]?.()
        try {
          const running = await RunningPage.create(page.name, parent, server?.words, existing[page.name])
          let endings: readonly Ending[] = []
          try {
            await running.runAll()
            await server?.restart?.()
          } finally {
            endings = await running.close()
          }
          // Apps close and exit with 0, also after a restart of their server. Scripts that are still open end by the signal.
          assert.deepEqual(
            endings.filter((ending) => ending !== 0 && ending !== 'SIGTERM'),
            [],
          )
        } finally {
          await server?.close()
        }
      })
    }
  })

  // After the commands, which may generate code.
  describe('code of docs/how-to', () => {
    let typeErrors: ReadonlyMap<string, string>
    let findings: ReadonlyMap<string, unknown>

    before(() => {
      for (const page of pages)
        if (!existsSync(join(parent, page.name))) writePage(page, parent, {}, existing[page.name])
      const shared = pages.filter((page) => !hasOptions(page))
      const programs = [
        checkTypes([...shared.flatMap(listCode), ...sources], project),
        ...pages.filter(hasOptions).map((page) => checkTypes(listCode(page), join(parent, page.name, TSCONFIG))),
      ]
      typeErrors = new Map(programs.flatMap((errors) => [...errors]))
      const apps = pages.filter((page) => hasApp(page.name) && !isOtherProject(page))
      const folders = apps.filter((page) => !hasOptions(page)).map(({ name }) => join(parent, name))
      findings = new Map([
        ...readFindings(folders, project),
        ...apps.filter(hasOptions).flatMap(({ name }) => {
          const folder = join(parent, name)
          return [...readFindings([folder], join(folder, TSCONFIG))]
        }),
      ])
    })

    if (sources.length > 0) {
      it('compiles with strict settings beside the pages', () => {
        assert.equal(sources.map((path) => typeErrors.get(resolve(path)) ?? '').join(''), '')
      })
    }

    for (const page of pages) {
      it(`${page.name} compiles with strict settings`, () => {
        assert.equal(
          listCode(page)
            .map((path) => typeErrors.get(path) ?? '')
            .join(''),
          '',
        )
      })

      const skip = !hasApp(page.name) || isOtherProject(page)
      it(`${page.name} leaves a project without findings`, { skip }, () => {
        assert.deepEqual(findings.get(join(parent, page.name)), [])
      })
    }
  })
}
