/** Open streams and connections at the end of a session. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { MountedConsole } from '#src/devconsole/serve/mount.js'
import { createExchange, createHost } from '#test/console-host.js'

describe('console: session end', () => {
  it('ends a feed when its session ends', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 0, 1) })
    const token = 'a-token-of-the-option'
    const mounted = new MountedConsole(createHost({ isGuarded: true, options: { token } }))
    const fields = ['Host', 'localhost', 'Content-Type', 'application/json']
    const entry = createExchange({
      method: 'POST',
      url: '/__dev__/session',
      rawHeaders: fields,
      body: JSON.stringify({ token }),
    })
    mounted.respondsTo(entry.exchange)
    await turn()
    const cookie = entry.answers[0]?.headers.get('set-cookie')?.split(';', 1).join('') ?? ''
    const cut: string[] = []
    const streamed = (name: string) => {
      const { exchange } = createExchange({
        url: '/__dev__/events',
        rawHeaders: ['Host', 'localhost', 'Cookie', cookie],
      })
      const leaving = new EventEmitter()
      const response = { destroy: () => cut.push(name) }
      mounted.respondsTo(
        Object.assign(exchange, { response, onLeft: (listener: () => void) => leaving.once('left', listener) }),
      )
      return leaving
    }
    streamed('stays')
    streamed('leaves').emit('left')
    t.mock.timers.tick(11 * 3_600_000)
    streamed('comes late')
    t.mock.timers.tick(3_600_000 - 1)
    assert.deepEqual(cut, [])
    t.mock.timers.tick(1)
    assert.deepEqual(cut, ['stays', 'comes late'])
    mounted.close()
  })
})
