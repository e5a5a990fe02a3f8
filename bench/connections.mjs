/**
 * Measures the processor time of the server for new connections, each with one request, and compares it with another checkout.
 *
 *   npm run build
 *   git worktree add ../before <commit> && (cd ../before && npm ci && npm run build)
 *   node bench/connections.mjs [../before] [rounds]
 *
 * Prints the median of all rounds in µs per connection. The checkouts take turns, each round in a new process.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const COUNT = 20_000
const CONCURRENCY = 50
const REQUEST = 'GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const HERE = fileURLToPath(new URL('..', import.meta.url))

if (process.send === undefined) await compare(...process.argv.slice(2))
else await serve(process.argv[2])

/** Runs in a child: serves until the parent disconnects, and sends its processor time in µs for each message. */
async function serve(folder) {
  const { createApp, Route } = await import(pathToFileURL(join(folder, 'dist/index.js')).href)
  class Hello extends Route {
    get() {
      return { hello: 'world' }
    }
  }
  const app = createApp({ routes: { Hello }, logger: false, signals: false })
  const { port } = await app.listen()
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send(user + system)
  })
  process.on('disconnect', () => process.exit())
  process.send(port)
}

async function compare(other, rounds = '7') {
  const folders = [HERE, ...(other === undefined ? [] : [resolve(other)])]
  const times = folders.map(() => [])
  for (let round = 0; round < Number(rounds); round++) {
    for (const at of round % 2 === 0 ? folders.keys() : [...folders.keys()].toReversed()) {
      times[at].push(await measure(folders[at]))
    }
  }
  for (const [at, all] of times.entries()) {
    const sorted = all.toSorted((one, two) => one - two)
    const median = sorted[Math.floor(sorted.length / 2)]
    console.log(
      `${median.toFixed(2)} µs per connection (${sorted[0].toFixed(2)} to ${sorted.at(-1).toFixed(2)})  ${folders[at]}`,
    )
  }
}

/** Returns the µs per connection of a new process, after a warm-up. */
async function measure(folder) {
  const child = fork(fileURLToPath(import.meta.url), [folder], { env: { ...process.env, NODE_ENV: 'production' } })
  const [port] = await once(child, 'message')
  const ask = async () => {
    child.send('time')
    const [time] = await once(child, 'message')
    return time
  }
  await connectMany(port, 5_000)
  const before = await ask()
  await connectMany(port, COUNT)
  const after = await ask()
  child.disconnect()
  await once(child, 'exit')
  return (after - before) / COUNT
}

async function connectMany(port, count) {
  let left = count
  const work = async () => {
    while (left-- > 0) {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.end(REQUEST)
      socket.resume()
      await once(socket, 'close')
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}
