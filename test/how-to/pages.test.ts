/** The task pages: their code is copied into a folder, compiled and started, and their requests get the responses that they show. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXAMPLE_PAGES, listPages } from '#test/how-to.js'
import { testPages, type UsedServer } from '#test/how-to-tests.js'

testPages(
  listPages().filter((name) => !Object.values(EXAMPLE_PAGES).flat().includes(name)),
  {
    folder: join('.cache', 'how-to'),
    project: process.env['TSX_TSCONFIG_PATH'] ?? 'tsconfig.json',
    servers: { 'stream-tokens': () => serveModel('11434') },
  },
)

/** Responds like a language model, with the two tokens of one word in small packets. */
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

describe('EXAMPLE_PAGES', () => {
  it('names pages that the tests of their example run', () => {
    for (const [example, names] of Object.entries(EXAMPLE_PAGES)) {
      assert.ok(readdirSync(`examples/${example}/test`).includes('how-to.test.ts'), example)
      for (const name of names) assert.ok(listPages().includes(name), name)
    }
  })
})
