/** Floods: the cost of many requests, large requests and disconnecting clients, measured on a server in a separate process. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startChild, type ChildServer } from '#test/probe-child.js'
import { assertAlive, exchange, formatTitle } from '#test/attack-rows.js'
import { parseAnswers } from '#test/strict-parser.js'

const MB = 1024 * 1024
const JSON_TYPE = 'Content-Type: application/json\r\n'

async function flooding(
  test: TestContext,
  task: (server: ChildServer) => Promise<void>,
  ...words: string[]
): Promise<void> {
  const server = await startChild({ signals: false, timeouts: { body: 5000 } }, ...words)
  try {
    await task(server)
    await assertAlive(server.port)
  } finally {
    await server.stop()
  }
  assert.ok(test.name)
}

/** Maximum size of the heap in bytes after the same work again, if nothing leaks. */
function bound(heap: number): number {
  return heap * 1.1 + MB
}

/** Measures the memory until `isDone`; returns the maximum growth in bytes. */
async function growth(server: ChildServer, before: number, isDone: () => boolean): Promise<number> {
  let most = 0
  do {
    most = Math.max(most, (await server.measure()).rss - before)
    await wait(50)
  } while (!isDone())
  return most
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Waits until a condition is true, but at most 20 s. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const begin = performance.now()
  while (!(await holds())) {
    if (performance.now() - begin > 20_000) return
    await wait(100)
  }
}

describe('floods', () => {
  it(
    formatTitle({
      rule: 'store bodies of one-byte chunks in no more than their size',
      source: 'CWE-400: a stored chunk costs 190 bytes',
    }),
    (test) =>
      flooding(test, async (server) => {
        const { heap } = await server.measure()
        const head = `POST /json HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`
        const chunks = '1\r\n \r\n'.repeat(200_000)
        const sockets = await Promise.all(Array.from({ length: 4 }, () => open(server.port)))
        for (const socket of sockets) socket.on('error', () => {})
        const written = sockets.map(
          (socket) => new Promise<void>((resolve) => socket.write(head + chunks, () => resolve())),
        )
        await Promise.all(written)
        await wait(200)
        const { heap: after, connections } = await server.measure()
        test.diagnostic(`grown by ${((after - heap) / MB).toFixed(1)} MB, ${connections} connections`)
        // 152 MB if each chunk is stored.
        assert.ok(after - heap < 4 * (2 * 200_000 + 64 * 1024), `${(after - heap) / MB} MB`)
        for (const socket of sockets) socket.destroy()
      }),
  )

  it(
    formatTitle({
      rule: 'use less than 32 MB for 120 pipelined requests for 5 MB with unread responses',
      source: 'CWE-400: other servers use 650 to 1,280 MB',
    }),
    (test) =>
      flooding(test, async (server) => {
        await exchange(server.port, 'GET /five-megabytes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
        const { rss } = await server.measure()
        const socket = await open(server.port)
        socket.on('error', () => {}).pause()
        socket.write('GET /five-megabytes HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(120))
        const end = performance.now() + 1500
        const grown = await growth(server, rss, () => performance.now() > end)
        test.diagnostic(`grown by ${(grown / MB).toFixed(1)} MB`)
        assert.ok(grown < 32 * MB, `${grown / MB} MB`)
        socket.destroy()
      }),
  )

  it(
    formatTitle({
      rule: 'get responses to 200,000 tiny requests in less than 100 MB',
      source: 'CWE-770',
    }),
    { timeout: 120_000 },
    (test) =>
      flooding(test, async (server) => {
        const { rss } = await server.measure()
        const count = 200_000
        const socket = await open(server.port)
        const answer = Buffer.from('HTTP/1.1 200')
        let answers = 0
        let rest = Buffer.alloc(0)
        let isDone = false
        socket.on('data', (chunk: Buffer) => {
          const text = Buffer.concat([rest, chunk])
          let from = 0
          for (let at = text.indexOf(answer); at >= 0; at = text.indexOf(answer, from)) {
            answers++
            from = at + answer.length
          }
          rest = Buffer.from(text.subarray(Math.max(from, text.length - answer.length + 1)))
          if (answers === count) socket.destroy()
        })
        socket.on('close', () => {
          isDone = true
        })
        socket.on('error', () => {})
        const begin = performance.now()
        const part = 'GET /alive HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10_000)
        for (let sent = 0; sent < count; sent += 10_000) socket.write(part)
        const grown = await growth(server, rss, () => isDone || performance.now() - begin > 100_000)
        const seconds = (performance.now() - begin) / 1000
        test.diagnostic(`${answers} answers in ${seconds.toFixed(1)} s, grown by ${(grown / MB).toFixed(1)} MB`)
        assert.equal(answers, count)
        assert.ok(grown < 100 * MB, `${grown / MB} MB`)
      }),
  )

  it(
    formatTitle({
      rule: 'deliver the 413 to all 30 clients that are still sending 10 MB',
      source: 'RFC 9112 §9.6: a reset discards the response',
    }),
    (test) =>
      flooding(test, async (server) => {
        const body = Buffer.alloc(10 * MB, 'x')
        const ask = (head: string): Promise<number[]> =>
          new Promise((resolve) => {
            const socket = connect({ port: server.port, host: '127.0.0.1' })
            const chunks: Buffer[] = []
            socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
            socket.on('close', () => resolve(parseAnswers(Buffer.concat(chunks)).map(({ status }) => status)))
            socket.write(`POST /uploads HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}${head}\r\n`)
            socket.write(head.includes('chunked') ? Buffer.concat([Buffer.from('a00000\r\n'), body]) : body)
          })
        for (const head of [`Content-Length: ${10 * MB}\r\n`, 'Transfer-Encoding: chunked\r\n']) {
          const seen = await Promise.all(Array.from({ length: 30 }, () => ask(head)))
          assert.deepEqual(
            seen,
            Array.from({ length: 30 }, () => [413]),
          )
        }
        assert.equal((await server.measure()).counts.uploads, 0)
      }),
  )

  it(
    formatTitle({
      rule: 'close the connections of endless bodies 2 s after the 413, with less than 32 MB of memory',
      source: 'CWE-400: a discarded body has no limit in bytes',
    }),
    (test) =>
      flooding(test, async (server) => {
        const { rss } = await server.measure()
        const head = `POST /uploads HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}Content-Length: 10000000000\r\n\r\n`
        const part = Buffer.alloc(MB, 'x')
        let open = 0
        let [latest, sent] = [0, 0]
        for (let count = 0; count < 16; count++) {
          const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
          open++
          let begin = 0
          const send = (): void => void (!socket.destroyed && socket.write(part) && setImmediate(send))
          socket.once('data', (chunk: Buffer) => {
            begin = performance.now()
            assert.match(chunk.toString('latin1'), /^HTTP\/1\.1 413 /)
            socket.on('drain', send)
            send()
          })
          socket.on('error', () => {})
          socket.on('close', () => {
            open--
            sent += socket.bytesWritten
            latest = Math.max(latest, performance.now() - begin)
          })
          socket.write(head)
        }
        const grown = await growth(server, rss, () => open === 0)
        test.diagnostic(
          `${(sent / MB).toFixed(0)} MB in ${latest.toFixed(0)} ms, grown by ${(grown / MB).toFixed(1)} MB`,
        )
        assert.ok(latest > 1900 && latest < 5000, `${latest} ms`)
        assert.ok(grown < 32 * MB, `${grown / MB} MB`)
      }),
  )

  it(
    formatTitle({
      rule: 'get a 413 for a declared length of 10 GB before the first byte',
      source: 'RFC 9110 §15.5.14',
    }),
    (test) =>
      flooding(test, async (server) => {
        const head = `POST /uploads HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}Content-Length: 10000000000\r\n`
        for (const expect of ['', 'Expect: 100-continue\r\n']) {
          const socket = await open(server.port)
          const begin = performance.now()
          socket.write(`${head}${expect}\r\n`)
          const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
          assert.match(first.toString('latin1'), /^HTTP\/1\.1 413 /)
          assert.ok(performance.now() - begin < 1000)
          socket.destroy()
        }
      }),
  )

  it(
    formatTitle({
      rule: 'leave nothing behind after 10,000 requests whose clients disconnect',
      source: 'CWE-404: work for disconnected clients',
    }),
    { timeout: 120_000 },
    (test) =>
      flooding(
        test,
        async (server) => {
          // Warm-up: the heap grows by 3 MB until the engine has compiled the code, even with few requests.
          await leaveAll(server, 5000)
          await settled(server)
          const before = await server.measure()
          const begin = performance.now()
          await leaveAll(server, 10_000)
          await settled(server)
          const after = await server.measure()
          test.diagnostic(`${((performance.now() - begin) / 1000).toFixed(1)} s, ${JSON.stringify(after.resources)}`)
          const { counts } = after
          assert.ok(counts.begun > 1000 && counts.opened > 1000, JSON.stringify(counts))
          assert.equal(counts.aborted, counts.begun, 'Each signal was aborted')
          assert.equal(counts.stopped, counts.opened, 'Each stream was stopped')
          assert.equal(counts.uploads, 0)
          assert.equal(counts.listeners, before.counts.listeners)
          assert.equal(after.connections, 0)
          for (const name of ['Timeout', 'TCPSocketWrap', 'TCPServerWrap', 'Immediate']) {
            assert.ok(
              (after.resources[name] ?? 0) <= (before.resources[name] ?? 0) + 1,
              `${name}: ${after.resources[name]}`,
            )
          }
          test.diagnostic(`heap ${(before.heap / MB).toFixed(1)} -> ${(after.heap / MB).toFixed(1)} MB`)
          let [last, heap] = [before.heap, after.heap]
          // A leak grows with each wave. On Node 22, the engine uses 4 MB once, in any of them.
          for (let wave = 0; wave < 2 && heap >= bound(last); wave++) {
            last = heap
            await leaveAll(server, 10_000)
            await settled(server)
            heap = (await server.measure()).heap
          }
          assert.ok(heap < bound(last), `${before.heap} -> ${after.heap} -> ${heap}`)
        },
        'attached',
      ),
  )

  it(
    formatTitle({ rule: 'do not grow the heap with 200,000 mixed requests', source: 'CWE-401' }),
    { timeout: 200_000 },
    (test) =>
      flooding(test, async (server) => {
        const overSocket = 'GET /alive HTTP/1.1\r\nHost: a\r\n\r\nGET /echo/%zz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500)
        const round = async (): Promise<void> => {
          const mixed = server.ask('mix')
          await exchange(server.port, `${overSocket}GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
          assert.equal(await mixed, 'mixed')
        }
        for (let warm = 0; warm < 20; warm++) await round()
        const before = await server.measure()
        for (let done = 0; done < 90; done++) await round()
        const after = await server.measure()
        const ratio = after.heap / before.heap
        test.diagnostic(`heap ${(before.heap / MB).toFixed(2)} -> ${(after.heap / MB).toFixed(2)} MB`)
        assert.ok(ratio < 1.05, `The heap grew by ${((ratio - 1) * 100).toFixed(1)} %`)
      }),
  )
})

/** Waits until no request of a disconnected client is running. */
function settled(server: ChildServer): Promise<void> {
  return until(async () => {
    const { counts, connections } = await server.measure()
    return connections === 0 && counts.aborted === counts.begun && counts.stopped === counts.opened
  })
}

const LEAVING = [
  'GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /endless HTTP/1.1\r\nHost: a\r\n\r\n',
  `POST /uploads HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}Content-Length: 100\r\n\r\n"half`,
] as const

/** Sends requests, and disconnects during the handler, the stream or the body. */
async function leaveAll({ port }: ChildServer, count: number): Promise<void> {
  let left = count
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const socket = await open(port)
      const kind = left % 3
      socket.on('error', () => {}).write(LEAVING[kind] ?? LEAVING[0])
      if (kind === 1) await new Promise((resolve) => socket.once('data', resolve))
      else await wait(20)
      socket.resetAndDestroy()
    }
  }
  await Promise.all(Array.from({ length: 200 }, work))
}
