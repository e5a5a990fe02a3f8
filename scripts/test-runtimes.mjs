/**
 * Packs Verbena, and runs an app on the package in Node.js, Bun and Deno: with `app.fetch`, and with `app.listen` over sockets. Node.js must
 * pass all cases. Bun and Deno may differ in the cases of `DIFFERENCES`, which docs/stability.md lists, and in no other.
 *
 *   npm run test:runtimes [-- bun | deno | node]...
 *
 * The programs come from the npm packages `bun` and `deno`, into `.cache` (Linux, x64).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, capture, fail, installPacked, runtimeBinary } from './tools.mjs'

const RUNTIMES = {
  node: () => [process.execPath],
  bun: () => [runtimeBinary('bun', '1.4.5', { path: '@oven/bun-linux-x64/bin/bun' })],
  deno: () => [runtimeBinary('deno', '2.9.6', { path: '@deno/linux-x64-glibc/deno' }), 'run', '--allow-all'],
}

/** Titles of cases that fail in a runtime. In Deno, `listen` gets chunks of bodies as `Uint8Array`, and converts them to wrong strings. */
const DIFFERENCES = {
  node: [],
  bun: [],
  deno: ['listen: JSON body', 'listen: 422', 'listen: 400 for malformed JSON'],
}

const JSON_TYPE = { 'content-type': 'application/json' }
const LARGE = JSON.stringify({ title: 'x'.repeat(2000) })

/** Requests, with the expected status, and parts of the body and headers. */
const CASES = [
  { title: 'path parameter', path: '/tasks/a%20b', status: 200, text: '{"id":"a b"}' },
  { title: 'HEAD', method: 'HEAD', path: '/tasks/1', status: 200, header: ['content-length', '10'], text: '' },
  { title: 'OPTIONS', method: 'OPTIONS', path: '/tasks/1', status: 204, header: ['allow', 'GET, HEAD, OPTIONS'] },
  { title: '404 of the router', path: '/nothing', status: 404, text: '"status":404' },
  { title: '404 of a method', path: '/tasks/0', status: 404, text: 'This task does not exist' },
  { title: '405', method: 'DELETE', path: '/tasks/1', status: 405, header: ['allow', 'GET, HEAD, OPTIONS'] },
  {
    title: 'JSON body',
    method: 'POST',
    path: '/tasks',
    headers: JSON_TYPE,
    body: '{"title":"tea"}',
    status: 201,
    text: '{"title":"tea"}',
  },
  {
    title: '422',
    method: 'POST',
    path: '/tasks',
    headers: JSON_TYPE,
    body: '{}',
    status: 422,
    text: 'must be a string',
  },
  { title: '400 for malformed JSON', method: 'POST', path: '/tasks', headers: JSON_TYPE, body: '{', status: 400 },
  { title: '415', method: 'POST', path: '/tasks', headers: { 'content-type': 'text/plain' }, body: '{}', status: 415 },
  { title: '413', method: 'POST', path: '/tasks', headers: JSON_TYPE, body: LARGE, status: 413 },
  { title: 'stream', path: '/chunks', status: 200, text: 'one two three' },
  {
    title: 'event stream',
    path: '/events',
    status: 200,
    header: ['content-type', 'text/event-stream'],
    text: 'id: 2\ndata: {"count":2}',
  },
  {
    title: 'cookies',
    path: '/cookies',
    headers: { cookie: 'a=1; b=2' },
    status: 200,
    text: '"b":"2"',
    header: ['set-cookie', 'theme=dark; Path=/; Max-Age=60'],
  },
  { title: '500', path: '/broken', status: 500, text: '"status":500' },
]

/** Cases that need a socket. Each returns whether it passed, and the received string. */
const SOCKET_CASES = {
  '413 for a body in chunks': async (port) => {
    const head =
      'POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    const received = await exchange(port, `${head}7d0\r\n${'x'.repeat(2000)}\r\n0\r\n\r\n`)
    return [received.startsWith('HTTP/1.1 413 '), received]
  },
  'two requests on a connection': async (port) => {
    const get = 'GET /tasks/1 HTTP/1.1\r\nHost: a\r\n'
    const received = await exchange(port, `${get}\r\n${get}Connection: close\r\n\r\n`)
    return [received.split('HTTP/1.1 200 ').length === 3, received]
  },
  '400 for a malformed request': async (port) => {
    const received = await exchange(port, 'GET /a b\r\n\r\n')
    return [received.startsWith('HTTP/1.1 400 '), received]
  },
  '400 for two lengths': async (port) => {
    const head = 'POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'
    const received = await exchange(port, `${head}{}`)
    return [received.startsWith('HTTP/1.1 400 '), received]
  },
  '408 for headers that do not arrive': async (port) => {
    const received = await exchange(port, 'GET /tasks/1 HTTP/1.1\r\nHost:')
    return [received.startsWith('HTTP/1.1 408 '), received]
  },
  'signal is aborted if the client disconnects': async (port) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
    for (let attempt = 0; attempt < 20; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      if (!(await send(port, { path: '/aborts' })).body.includes('"abortCount":0')) return [true, '']
    }
    return [false, 'not aborted']
  },
  upgrade: async (port) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write('GET /echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    let received = ''
    socket.setEncoding('utf8').on('data', (text) => {
      received += text
      if (received.endsWith('\r\n\r\n')) socket.write('hello')
    })
    await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, 1000))])
    socket.destroy()
    return [received.startsWith('HTTP/1.1 101 ') && received.endsWith('hello'), received]
  },
}

const given = process.argv.slice(2)
const unknown = given.find((name) => !Object.hasOwn(RUNTIMES, name))
if (unknown !== undefined) fail(`Cannot test "${unknown}": runtimes are ${Object.keys(RUNTIMES).join(', ')}`)
const folder = mkdtempSync(join(tmpdir(), 'verbena-runtimes-'))
try {
  pack()
  for (const name of given.length === 0 ? Object.keys(RUNTIMES) : given) await testRuntime(name)
} finally {
  rmSync(folder, { recursive: true })
}

async function testRuntime(name) {
  const command = RUNTIMES[name]()
  const results = [...testFetch(command), ...(await testListen(command))]
  const failed = results.filter(({ isPassed }) => !isPassed).map(({ title }) => title)
  console.log(`${name}: ${results.length - failed.length} passed, ${failed.length} failed`)
  for (const { title, isPassed, got } of results) {
    if (!isPassed) console.log(`  differs  ${title}${got === undefined ? '' : `: ${got}`}`)
    if (isPassed === DIFFERENCES[name].includes(title)) {
      console.log(
        `FAILED  ${name}: "${title}" ${isPassed ? 'passes now: remove it from' : 'is not one of'} the differences`,
      )
      process.exitCode = 1
    }
  }
}

function testFetch([program, ...args]) {
  const { code, output, stdout } = capture(program, [...args, 'app.mjs', 'fetch', JSON.stringify(CASES)], {
    cwd: folder,
  })
  if (code !== 0) return CASES.map(({ title }) => ({ title: `fetch: ${title}`, isPassed: false, got: output }))
  const responses = JSON.parse(stdout)
  return CASES.map((each, at) => compareResponse(`fetch: ${each.title}`, each, responses[at]))
}

async function testListen([program, ...args]) {
  const env = { ...process.env, NODE_ENV: 'production' }
  const server = spawn(program, [...args, 'app.mjs', 'listen'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Number(String((await once(server.stdout, 'data'))[0]))
  const results = []
  for (const each of CASES) results.push(compareResponse(`listen: ${each.title}`, each, await send(port, each)))
  for (const [title, act] of Object.entries(SOCKET_CASES)) {
    const [isPassed, received] = await act(port)
    results.push({ title: `listen: ${title}`, isPassed, got: JSON.stringify(received.slice(0, 100)) })
  }
  const slow = send(port, { path: '/slow' })
  await new Promise((resolve) => setTimeout(resolve, 200))
  server.kill('SIGTERM')
  const [code] = await once(server, 'exit')
  const { status } = await slow
  results.push({
    title: 'listen: SIGTERM waits for requests, and exits with 0',
    isPassed: status === 200 && code === 0,
    got: `${status}, exit code ${code}`,
  })
  return results
}

function compareResponse(title, { status, text, header: [name, value] = [] }, response) {
  const values = response.headers.filter(([each]) => each === name).map(([, each]) => each)
  const isPassed =
    response.status === status &&
    (text === undefined || (text === '' ? response.body === '' : response.body.includes(text))) &&
    (name === undefined || values.some((each) => each.startsWith(value)))
  const got = `${response.status} ${values.join('; ')} ${response.body.slice(0, 100)}`
  return { title, isPassed, got }
}

/** Sends a request on a new connection. A connection that ends early has the status 0. */
function send(port, { method = 'GET', path, headers, body }) {
  return new Promise((resolve) => {
    const failed = (error) => resolve({ status: 0, headers: [], body: String(error) })
    const sent = request({ port, method, path, headers, agent: false }, async (response) => {
      let text = ''
      try {
        for await (const part of response.setEncoding('utf8')) text += part
      } catch (error) {
        return failed(error)
      }
      const pairs = Object.entries(response.headers).flatMap(([name, value]) =>
        [value].flat().map((each) => [name, each]),
      )
      resolve({ status: response.statusCode, headers: pairs, body: text })
    })
    sent.on('error', failed)
    sent.end(body)
  })
}

/** Sends bytes, and returns the received string when the server ends the connection, or after 2 s. */
async function exchange(port, bytes) {
  const socket = connect(port, '127.0.0.1')
    .setEncoding('utf8')
    .on('error', () => {})
  let received = ''
  socket.on('data', (text) => (received += text))
  socket.write(bytes)
  await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, 2000))])
  socket.destroy()
  return received
}

function pack() {
  installPacked(folder)
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: { verbena: '0.1.0' } }),
  )
  copyFileSync(join(ROOT, 'scripts/runtimes/app.mjs'), join(folder, 'app.mjs'))
}
