/** Attacks on `compression`: hostile `Accept-Encoding` lists, and clients that disconnect. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from '#test/decoders.js'
import { Route } from 'verbena'
import { Alive } from '#test/response-routes.js'
import { createUntypedApp } from '#test/apps.js'
import { sendStrictly, assertAlive, rowBytes, formatTitle } from '#test/attack-rows.js'
import { Wire } from '#test/e2e.js'

const LONG = 'green tea '.repeat(2000)

class Long extends Route {
  get() {
    return LONG
  }
}

let ended = 0

class Endless extends Route {
  async *get() {
    try {
      for (;;) yield `${LONG}${Math.random()}`
    } finally {
      ended++
    }
  }
}

/** Lists, and the expected coding of the response. */
const LISTS: readonly (readonly [about: string, list: string, coding: string | undefined])[] = [
  ['a list of 3,000 members', 'x,'.repeat(3000) + 'gzip', 'gzip'],
  ['a list of only commas', ','.repeat(10_000), undefined],
  ['one long name', 'a'.repeat(10_000), undefined],
  ['thousands of spaces', `gzip${' '.repeat(8000)};q=1${' '.repeat(5000)}x`, undefined],
  ['weights of 15,000 digits', `gzip;q=${'1'.repeat(15_000)}x`, undefined],
  ['invalid weights', 'gzip;q=1e9, br;q=-1, zstd;q=NaN', undefined],
  ['undefined parameters', 'gzip;level=9', undefined],
  ['names of prototypes', '__proto__, constructor, gzip;q=0.1', 'gzip'],
  ['a coding that is both accepted and rejected', 'gzip, gzip;q=0', undefined],
  ['several headers', 'br;q=0\r\nAccept-Encoding: gzip', 'gzip'],
]

describe('Accept-Encoding under attack', () => {
  const app = createUntypedApp({
    routes: { Long, Endless, Alive },
    compression: { encodings: ['br', 'gzip'] },
    signals: false,
  })
  let port = 0
  before(async () => {
    port = (await app.listen()).port
  })
  after(() => app.close())

  for (const [about, list, coding] of LISTS) {
    const rule = `responds completely to ${about}, in a supported coding`
    it(formatTitle({ rule, source: 'RFC 9110 §12.5.3' }), async () => {
      const begun = performance.now()
      const [answer] = await sendStrictly(port, rowBytes({ target: '/long', headers: { 'accept-encoding': list } }))
      assert.equal(answer?.headers.get('content-encoding')?.[0], coding)
      const body = answer?.body ?? Buffer.alloc(0)
      assert.equal((coding === 'gzip' ? gunzipSync(body) : body).toString(), LONG)
      assert.ok(performance.now() - begun < 2000)
      await assertAlive(port)
    })
  }

  it(
    formatTitle({
      rule: 'ends the streams of 20 clients that disconnect during compression',
      source: 'RFC 9112 §9.6',
    }),
    async () => {
      const wires = Array.from({ length: 20 }, () => new Wire(port))
      for (const wire of wires) wire.send('GET /endless HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n')
      await Promise.all(wires.map(({ socket }) => new Promise((resolve) => socket.once('data', resolve))))
      for (const { socket } of wires) socket.destroy()
      while (ended < wires.length) await new Promise((resolve) => setImmediate(resolve))
      await assertAlive(port)
    },
  )
})
