/** For any value that app code returns or throws, the client gets a response or its connection is cut, and the process survives. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { PLACES, TIMED_PLACES, type HostilePlace } from '#test/hostile-places.js'
import { HOSTILE, PENDING } from '#test/hostile-returns.js'
import { createRandom } from '#test/mutator.js'
import { formatTitle } from '#test/attack-rows.js'

const SEED = Number(process.env['HOSTILE_SEED'] ?? 20_261_125)
/** Share of all pairs of a place and a value. */
const SHARE = Number(process.env['HOSTILE_SHARE'] ?? 0.1)
/** Maximum time for a reaction in ms. The apps have timeouts of 1 s. */
const PATIENCE = 2000
const random = createRandom(SEED)

type Reaction = 'responded' | 'cut' | 'silent'

/** Sends a request, and returns the first reaction of the server. An endless stream counts as a response. */
function reactionTo(port: number, request: string): Promise<Reaction> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (reaction: Reaction): void => {
      clearInterval(timer)
      socket.destroy()
      resolve(reaction)
    }
    const timer = afterFreeTime(PATIENCE, () => end('silent'))
    socket.on('data', (bytes) => end(/^HTTP\/1\.1 [1-5]\d\d /.test(String(bytes)) ? 'responded' : 'silent'))
    socket.on('close', () => end('cut'))
    socket.on('error', () => {})
    socket.write(request)
  })
}

/**
 * Calls back after this time, counted in ticks of 100 ms. Apps and clients share the event loop, and a value with a million entries
 * blocks it for seconds. That counts as one tick.
 */
function afterFreeTime(ms: number, callback: () => void): NodeJS.Timeout {
  let ticks = ms / 100
  const timer = setInterval(() => {
    ticks -= 1
    if (ticks > 0) return
    clearInterval(timer)
    callback()
  }, 100)
  return timer
}

const REQUEST = [
  ...['Host: localhost', 'Origin: https://a.example', 'Content-Type: application/json', 'Content-Length: 2'],
  ...['Connection: close', '', '{}'],
].join('\r\n')

function requestFor(place: string, at: number): string {
  return place.startsWith('an idempotency')
    ? `POST /probe HTTP/1.1\r\nIdempotency-Key: "${at}"\r\n${REQUEST}`
    : `GET /probe HTTP/1.1\r\n${REQUEST.replace(/Content-[^\r]*\r\n/g, '').replace('{}', '')}`
}

/** Returns the pairs without a reaction, and the pairs after which the app did not respond or close. */
async function faultsOf(place: string, make: HostilePlace, names: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const [at, name] of names.entries()) {
    const value = HOSTILE[name] ?? PENDING[name] ?? assert.fail()
    const app = make(value)
    const { port } = await app.listen({ port: 0 })
    if ((await reactionTo(port, requestFor(place, at))) === 'silent') faults.push(`${place}: ${name}`)
    if ((await reactionTo(port, 'GET /alive HTTP/1.1\r\nHost: a\r\n\r\n')) !== 'responded')
      faults.push(`${place}: ${name}, then /alive`)
    const closing = app.close().then(() => true)
    if (!(await Promise.race([closing, timeUp()]))) faults.push(`${place}: ${name}, then close()`)
  }
  return faults
}

function timeUp(): Promise<false> {
  return new Promise((resolve) => afterFreeTime(5000, () => resolve(false)).unref())
}

describe('a hostile value', { concurrency: 8 }, () => {
  const lost: unknown[] = []
  const hear = (error: unknown): void => void lost.push(error)
  before(() => process.on('unhandledRejection', hear))
  after(() => {
    process.off('unhandledRejection', hear)
    assert.deepEqual(lost, [])
  })

  for (const [place, make] of Object.entries(PLACES)) {
    const sample = Object.keys(HOSTILE).filter(() => random() < SHARE)
    const names = TIMED_PLACES.has(place) ? [...sample, ...Object.keys(PENDING)] : sample
    it(
      formatTitle({ rule: `gets a response or cuts the connection if ${place} it`, source: 'CWE-248, CWE-755' }),
      async () => {
        assert.deepEqual(await faultsOf(place, make, names), [])
      },
    )
  }

  it(formatTitle({ rule: 'is tested with at least 75 values in at least 50 places', source: 'this suite' }), () => {
    assert.ok(Object.keys(HOSTILE).length >= 75, String(Object.keys(HOSTILE).length))
    assert.ok(Object.keys(PLACES).length >= 50, String(Object.keys(PLACES).length))
  })
})
