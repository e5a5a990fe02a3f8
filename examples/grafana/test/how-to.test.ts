/** The task page with Prometheus, on a real server. */
import { delimiter, dirname, join } from 'node:path'
import { EXAMPLE_PAGES, findFreePort, readPage } from '../../../test/support/how-to.js'
import { testPages, type UsedServer } from '../../../test/support/how-to-tests.js'
import { readText } from './files.js'
import { findProgram, Prometheus } from './prometheus.js'

// The commands of the page find promtool.
process.env['PATH'] = [dirname(findProgram('promtool')), process.env['PATH']].join(delimiter)

testPages(EXAMPLE_PAGES.grafana, {
  folder: join('.cache', 'how-to'),
  project: 'tsconfig.json',
  existing: { 'watch-metrics': { 'alerts.yml': readText('alerts.yml') } },
  servers: { 'watch-metrics': startPrometheus },
})

/** Starts Prometheus with the configuration of the page, and scrapes each second. Another test reads the rules. */
async function startPrometheus(): Promise<UsedServer> {
  const app = String(await findFreePort())
  const words = { 3000: app, '15s': '1s' }
  const config = readPage('watch-metrics').files.get('prometheus.yml') ?? ''
  const server = new Prometheus()
  await server.start(
    config
      .replace('3000', app)
      .replace('15s', '1s')
      .replace(/^rule_files.*$/m, ''),
  )
  // It reads its targets some seconds after its start.
  await server.waitFor('up')
  return { words: { ...words, 9090: new URL(server.url).port }, close: () => server.remove() }
}
