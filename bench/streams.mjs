/**
 * Measures open event streams: heap per stream in bytes, and processor time per event in µs, of a handler on `node:http`, of `events()`, which
 * validates each event, and of `stream()`.
 *
 *   node bench/streams.mjs [--streams 4000] [--events 300] [--node <binary>]
 *
 * Each server is a process of its own, and its clients are in this process. One event in a turn of the event loop is a live update, ten
 * are a busy one.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const CHILD = fileURLToPath(new URL('streams-child.mjs', import.meta.url))
const SERVED_AT_A_TIME = 100

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '4000' },
    events: { type: 'string', default: '300' },
    node: { type: 'string', default: process.execPath },
  },
})

async function request(child, message) {
  child.send(message)
  const [reply] = await once(child, 'message')
  return reply
}

function openStream(port) {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'))
  socket.on('data', () => {})
  return once(socket, 'data').then(() => socket)
}

async function measure(kind, streams, events) {
  const child = fork(CHILD, [kind], { execPath: values.node, execArgv: ['--expose-gc'] })
  const [{ port, heap }] = await once(child, 'message')
  const sockets = []
  while (sockets.length < streams) {
    const count = Math.min(SERVED_AT_A_TIME, streams - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: count }, () => openStream(port)))))
  }
  const open = await request(child, { open: streams })
  const bytes = (open.heap - heap) / streams
  const few = sockets.splice(100)
  for (const socket of few) socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const cpu = []
  for (const perTurn of [1, 10]) {
    await request(child, { events: events / 2, perTurn })
    const result = await request(child, { events: events * 10, perTurn })
    cpu.push(result.cpu / (events * 10 * sockets.length))
  }
  for (const socket of sockets) socket.destroy()
  child.kill()
  return { bytes, cpu }
}

const results = {}
for (const kind of ['raw', 'events', 'stream', 'raw', 'events', 'stream']) {
  const { bytes, cpu } = await measure(kind, Number(values.streams), Number(values.events))
  const best = results[kind] ?? { bytes: Infinity, cpu: [Infinity, Infinity] }
  results[kind] = { bytes: Math.min(best.bytes, bytes), cpu: cpu.map((time, index) => Math.min(time, best.cpu[index])) }
}
console.log('|           | heap a stream | µs an event, one a turn | ten a turn |')
console.log('| --------- | ------------: | ----------------------: | ---------: |')
for (const [kind, { bytes, cpu }] of Object.entries(results)) {
  const ratio = (index) => `${cpu[index].toFixed(2)} (${(cpu[index] / results.raw.cpu[index]).toFixed(2)})`
  console.log(
    `| ${kind.padEnd(9)} | ${`${(bytes / 1000).toFixed(1)} kB`.padStart(13)} | ${ratio(0).padStart(23)} | ${ratio(1).padStart(10)} |`,
  )
}
