/**
 * Thousands of requests made of valid ones by accident. Whatever is sent: the process lives, every connection ends, what comes
 * back is whole answers, none of them a 500, and the server answers afterwards.
 *
 * `MUTATOR_SEED` repeats a run, `MUTATOR_COUNT` makes it longer or shorter.
 */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { mutated, pick, randomOf } from '#test/mutator.js'
import { namingApp } from '#test/probe.js'
import { assertAlive, titleOf } from '#test/rows.js'
import { parseAnswers, type StrictAnswer } from '#test/strict-parser.js'

const SEED = Number(process.env['MUTATOR_SEED'] ?? 20_260_101)
const COUNT = Number(process.env['MUTATOR_COUNT'] ?? 20_000)
const TOGETHER = 250
const PATIENCE = 10_000
/** ms without a byte after which whole answers are taken for all that comes. */
const SILENCE = 60

function request(line: string, headers: string, body?: string): string {
  const length = body === undefined ? '' : `Content-Length: ${body.length}\r\n`
  return `${line} HTTP/1.1\r\nHost: localhost\r\n${headers}${length}\r\n${body ?? ''}`
}

const typed = (type: string): string => `Content-Type: ${type}\r\n`
const JSON_TYPE = typed('application/json')

const CORPUS: readonly [string, ...string[]] = [
  request('GET /alive', ''),
  request('GET /echo/name?x=1', 'Accept: */*\r\nUser-Agent: mutator\r\n'),
  request('HEAD /alive', ''),
  request('HEAD /chunks', ''),
  request('OPTIONS /person', ''),
  request('OPTIONS *', ''),
  request('GET /nothing', ''),
  request('GET /two/a/b', 'Connection: close\r\n'),
  request('GET /files/a/b/c', ''),
  request('GET /%C3%84pfel', ''),
  request('GET /query?limit=7&ratio=1.5&on=true&tag=a&tag=b&q=%41', ''),
  request('GET /raw-query?a=1&a=2&b[c]=3', ''),
  request('GET /cookies', 'Cookie: a=1; b="2"; a=3\r\n'),
  request('GET /chunks', ''),
  request('GET /ticks', 'Accept: text/event-stream\r\n'),
  request('GET /slow?ms=3', 'X-Id: 9\r\n'),
  request('GET /big?size=70000', ''),
  request('POST /json', JSON_TYPE, '{"a":[1,{"b":"\\u00e4"}],"n":1.5e3}'),
  request('POST /json', `${JSON_TYPE}Expect: 100-continue\r\n`, '[1,2,3]'),
  request('POST /person', JSON_TYPE, '{"name":"Ada","age":36}'),
  request('DELETE /person', JSON_TYPE),
  request('POST /small', JSON_TYPE, '{"a":"b"}'),
  request('POST /small', JSON_TYPE, `"${'a'.repeat(100)}"`),
  request('POST /form', typed('application/x-www-form-urlencoded'), 'n=7&a=b+c&d=%41'),
  request('POST /text', typed('text/plain; charset=utf-8'), 'h\xc3\xa4llo'),
  request('POST /bytes', typed('application/octet-stream'), '\0\x01\x02\xff'),
  request('POST /upload', typed('application/octet-stream'), 'x'.repeat(5000)),
  request('POST /nothing', JSON_TYPE, 'x'.repeat(3000)),
  `POST /upload HTTP/1.1\r\nHost: a\r\n${typed('application/octet-stream')}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n\r\n`,
]

const isHead = (_: number, headers: StrictAnswer['headers']): boolean => headers.get('x-method')?.[0] === 'HEAD'

function isWhole(bytes: Buffer): boolean {
  try {
    return parseAnswers(bytes, isHead).length > 0
  } catch {
    return false
  }
}

/** All that comes back until the server ends the connection, or falls silent behind whole answers. */
function converse(port: number, packets: readonly string[], waits: boolean): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const patience = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The connection hangs after ${JSON.stringify(Buffer.concat(chunks).toString('latin1'))}`))
    }, PATIENCE)
    const finish = (): void => {
      clearTimeout(patience)
      clearTimeout(silence)
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    const silence = setTimeout(() => {
      if (!waits && isWhole(Buffer.concat(chunks))) finish()
    }, SILENCE)
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      silence.refresh()
    })
    socket
      .on('end', finish)
      .on('close', finish)
      .on('error', () => {})
    socket.on('connect', () => void writeAll(socket, packets))
  })
}

async function writeAll(socket: Socket, packets: readonly string[]): Promise<void> {
  for (const packet of packets) {
    if (socket.destroyed) return
    socket.write(packet, 'latin1')
    if (packets.length > 1) await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

describe('mutated requests', () => {
  it(
    titleOf({
      rule: 'get whole answers or a closed connection, and never a 500',
      source: 'faults that nobody thought of',
    }),
    { timeout: 280_000 },
    async (test) => {
      test.diagnostic(`seed ${SEED}, ${COUNT} requests`)
      const faults: unknown[] = []
      const onFault = (error: unknown): void => void faults.push(error)
      process.on('uncaughtException', onFault).on('unhandledRejection', onFault)
      const app = namingApp({ timeouts: { headers: 250, body: 250, keepAlive: 200, write: 1000, close: 2000 } })
      const { port } = await app.listen()
      const random = randomOf(SEED)
      const statuses = new Map<number, number>()
      let left = COUNT
      const work = async (): Promise<void> => {
        while (left-- > 0) {
          const packets = mutated(random, CORPUS)
          const waits = random() < 0.05
          try {
            const answers = parseAnswers(await converse(port, packets, waits), isHead)
            for (const { status } of answers) {
              statuses.set(status, (statuses.get(status) ?? 0) + 1)
              assert.notEqual(status, 500)
            }
          } catch (error) {
            throw new Error(`seed ${SEED}: ${JSON.stringify(packets)}`, { cause: error })
          }
        }
      }
      try {
        await Promise.all(Array.from({ length: TOGETHER }, work))
        await assertAlive(port)
      } finally {
        await app.close()
        process.off('uncaughtException', onFault).off('unhandledRejection', onFault)
      }
      assert.deepEqual(faults, [])
      test.diagnostic([...statuses].toSorted(([a], [b]) => a - b).join(' '))
      assert.ok((statuses.get(200) ?? 0) > COUNT / 4, 'Most requests should still mean something')
    },
  )

  it(titleOf({ rule: 'are the same for the same seed', source: 'own rule: a fault must come back' }), () => {
    const make = (): string[][] => {
      const random = randomOf(7)
      return Array.from({ length: 50 }, () => mutated(random, CORPUS))
    }
    assert.deepEqual(make(), make())
    assert.equal(pick(randomOf(7), ['a']), 'a')
  })
})
