/** The task pages: their code is copied into a folder, compiled and started, and their requests get the responses that they show. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listPages, missingPackages, readPage, RunningPage, writePage, type Replacements } from '#test/how-to.js'
import { checkTypes } from '#test/run-examples.js'

const PROJECT = process.env['TSX_TSCONFIG_PATH'] ?? 'tsconfig.json'
const FOLDER = join('.cache', 'how-to', String(process.pid))
/** Pages that need packages or programs of an example, and run with its tests. */
const OF_EXAMPLES = new Set(['use-postgres'])

/** Servers that pages use. */
const SERVERS: Readonly<Record<string, () => Promise<UsedServer>>> = {
  'stream-tokens': () => serveModel('11434'),
}

interface UsedServer {
  readonly words: Replacements
  close(): Promise<void>
}

/** Responds like a language model, with the two tokens of one word in four packets. */
async function serveModel(port: string): Promise<UsedServer> {
  const chunks = ['Hel', 'lo'].map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
  const text = `${chunks.join('')}data: [DONE]\n\n`
  const server = createServer(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of text.match(/.{1,40}/gs) ?? []) {
      response.write(part)
      await sleep(10)
    }
    response.end()
  }).listen(0)
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    words: { [port]: String(address.port) },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const pages = listPages().map(readPage)
const local = pages.filter(({ name }) => !OF_EXAMPLES.has(name))

describe('docs/how-to', () => {
  let typeErrors: ReadonlyMap<string, string>
  const folders = new Map<string, string>()

  before(() => {
    for (const page of local) folders.set(page.name, writePage(page, join(FOLDER, 'types')))
    typeErrors = checkTypes(
      local.flatMap(({ name, files }) => listCode(files).map((path) => join(folders.get(name) ?? '', path))),
      PROJECT,
    )
  })

  after(() => rmSync(FOLDER, { recursive: true, force: true }))

  for (const page of pages) {
    it(`${page.name} has at most 80 lines, and a file name for each block of code`, () => {
      assert.ok(page.lineCount <= 80, `${page.lineCount} lines`)
      assert.deepEqual(page.unnamed, [])
      assert.deepEqual(missingPackages(page), [])
    })
  }

  for (const { name, files } of local) {
    it(`${name} compiles with strict settings`, () => {
      const errors = listCode(files).map((path) => typeErrors.get(resolve(folders.get(name) ?? '', path)) ?? '')
      assert.equal(errors.join(''), '')
    })

    it(`${name} responds as shown`, async () => {
      const server = await SERVERS[name]?.()
      try {
        await using running = await RunningPage.create(name, FOLDER, server?.words)
        await running.runAll()
      } finally {
        await server?.close()
      }
    })
  }
})

function listCode(files: ReadonlyMap<string, string>): string[] {
  return [...files.keys()].filter((path) => path.endsWith('.ts'))
}
