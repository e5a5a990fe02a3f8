/** Starts and restarts: signals before the app listens, and leaks of 200 restarts. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startFaulty } from '#test/faulty-child.js'
import { probeApp } from '#test/probe.js'
import { formatTitle } from '#test/attack-rows.js'

describe('SIGTERM while the app starts', () => {
  it(
    formatTitle({
      rule: 'waits for starting services, closes all services, and exits with code 0',
      source: 'Verbena: opened services are closed',
    }),
    async () => {
      const server = startFaulty('starting')
      await server.says('starting')
      server.child.kill('SIGTERM')
      assert.equal(await server.ended, 0)
      assert.deepEqual(server.printed().trim().split('\n').slice(-2), ['slow closed', 'first closed'])
    },
  )

  it(
    formatTitle({
      rule: 'exits immediately with code 1 after a second signal',
      source: 'Verbena: a second signal forces the exit',
    }),
    async () => {
      const server = startFaulty('starting')
      await server.says('starting')
      server.child.kill('SIGTERM')
      await wait(50)
      server.child.kill('SIGTERM')
      assert.equal(await server.ended, 1)
      assert.doesNotMatch(server.printed(), /closed/)
    },
  )
})

describe('200 restarts in a row', () => {
  it(
    formatTitle({
      rule: 'use the same port each time, and leave no listener or socket behind',
      source: 'CWE-404, CWE-772',
    }),
    { timeout: 60_000 },
    async () => {
      const warnings: Error[] = []
      const onWarning = (warning: Error): void => void warnings.push(warning)
      process.on('warning', onWarning)
      const held = (): object => ({
        listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
        sockets: process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length,
      })
      let port = await restart(0)
      const before = held()
      for (let count = 0; count < 200; count++) port = await restart(port)
      assert.deepEqual(held(), before)
      process.off('warning', onWarning)
      assert.deepEqual(warnings, [])
    },
  )
})

async function restart(wanted: number): Promise<number> {
  const app = probeApp({ signals: true })
  const { port } = await app.listen({ port: wanted })
  const kept = connect({ port, host: '127.0.0.1' })
  kept.on('error', () => {}).write('GET /alive HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(kept, 'data')
  await app.close()
  if (!kept.closed) await once(kept, 'close')
  return port
}
