/**
 * Each proxy of this machine against the tables of "Other proxies". `PROXIES=nginx,HAProxy` tries only these; without it, all
 * that are installed.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createProxiedApp, Journal } from '../app.js'
import { isInstalled, PROGRAMS, Proxy } from '../proxies.js'
import * as scenarios from '../scenarios.js'
import { readTable, type Row } from './guide.js'

const streams = readTable('Streams')
const requests = readTable('Requests and responses')
const headers = readTable('Headers about the client')
const deaths = readTable('If the app dies')

const chosen = process.env['PROXIES']?.split(',')
const programs = Object.entries(PROGRAMS).filter(
  ([name]) => chosen === undefined || chosen.some((part) => name.startsWith(part)),
)

describe('tables of docs/guides/proxies.md', { concurrency: 3 }, () => {
  it('has a proxy that is installed', () => {
    const packages = programs.map(([, program]) => program.package)
    assert.ok(
      programs.some(([, program]) => isInstalled(program)),
      `Install one: apt-get install ${packages.join(' ')}`,
    )
  })

  it('has a row for each proxy', () => {
    for (const table of [streams, requests, headers, deaths]) assert.deepEqual([...table.keys()], Object.keys(PROGRAMS))
  })

  for (const [name, program] of programs) {
    const skip = isInstalled(program) ? false : `not installed: apt-get install ${program.package}`
    it(name, { skip }, async () => {
      assert.deepEqual(await tryAll(name), {
        streams: streams.get(name),
        requests: requests.get(name),
        headers: headers.get(name),
        deaths: deaths.get(name),
      })
    })
  }
})

/** Returns the rows of a proxy. */
async function tryAll(name: string): Promise<Readonly<Record<string, Row>>> {
  const program = PROGRAMS[name] ?? assert.fail(name)
  const journal = new Journal()
  const app = createProxiedApp(journal)
  const server = new scenarios.DyingServer()
  const [plain, compressing, dying] = [1, 2, 3].map(() => new Proxy(name, program)) as [Proxy, Proxy, Proxy]
  try {
    const { port } = await app.listen()
    await plain.start(port)
    await dying.start(await server.listen())
    if (program.canCompress) await compressing.start(port, { compresses: true })
    const ifCompressing = (scenario: (port: number) => Promise<string>): Promise<string> =>
      program.canCompress ? scenario(compressing.port) : Promise.resolve('-')
    const { repeated, fresh, used } = await scenarios.death(dying.port, server)
    return {
      streams: {
        proxy: name,
        events: await scenarios.eventStream(plain.port),
        'events, compressed': await ifCompressing(scenarios.eventStream),
        'a stream that fails': await scenarios.brokenStream(plain.port),
        'signal, no data sent': await scenarios.leaves(plain.port, journal, 'waiting'),
        'signal of an event stream': await scenarios.leaves(plain.port, journal, 'silence'),
      },
      requests: {
        proxy: name,
        'body of 20 MB, limit 1 MiB': await scenarios.largeBody(plain.port),
        upload: await scenarios.upload(plain.port),
        WebSocket: await scenarios.upgrades(plain.port),
        Authorization: await scenarios.authorization(plain.port),
        'largest header': await scenarios.largeHeader(plain.port),
        'without the key': await scenarios.statusesByKey(plain.port),
        'ETag, GET, PUT': await scenarios.conditional(plain.port),
        'the same, compressed': await ifCompressing(scenarios.conditional),
      },
      headers: { proxy: name, ...(await scenarios.forwarding(plain.port)) },
      deaths: { proxy: name, 'sent twice': repeated, 'new connection': fresh, 'used connection': used },
    }
  } finally {
    await Promise.all([plain.stop(), compressing.stop(), dying.stop()])
    server.close()
    await app.close()
  }
}
