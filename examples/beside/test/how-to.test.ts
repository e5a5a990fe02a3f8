/** Task pages about software beside an app. */
import { join } from 'node:path'
import { EXAMPLE_PAGES, findFreePort } from '../../../test/support/how-to.js'
import { testPages, type UsedServer } from '../../../test/support/how-to-tests.js'
import { startRedis } from '../../scale/test/redis-server.js'
import { Upstream } from './upstream.js'

testPages(EXAMPLE_PAGES.beside, {
  folder: join('.cache', 'how-to'),
  project: 'tsconfig.json',
  servers: {
    'proxy-to-another-server': startUpstream,
    'serve-vite-beside-api': reservePort,
    'show-bullmq-board': startRedis,
  },
})

async function startUpstream(): Promise<UsedServer> {
  const upstream = await Upstream.start()
  return { words: { 4000: String(upstream.port) }, close: () => upstream.close() }
}

/** The port of the second app of the page. */
async function reservePort(): Promise<UsedServer> {
  return { words: { 3001: String(await findFreePort()) }, close: async () => {} }
}
