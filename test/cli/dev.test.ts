/** The command `verbena dev`: saves, errors, servers, the inspector, and the end of all processes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { get } from 'node:https'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { verbena } from '#test/command-line.js'
import { APP, isAlive, MANIFEST, nextApp, startApp, readVersion } from '#test/dev-app.js'
import { ask, saveFile, startDev } from '#test/dev-command.js'
import { createShown, FAILED, plainVerbena } from '#test/dev-state.js'
import { eventually } from '#test/eventually.js'
import { createDirectory } from '#test/temp-directory.js'

describe('verbena dev', { timeout: 240_000 }, () => {
  it('restarts on a save, and ends each connection after its response', async () => {
    const { dev, port, restart } = await startApp(APP)
    await using _ = dev
    const first = await ask({ port })
    const { version, mode } = JSON.parse(first.text)
    assert.deepEqual([version, mode, first.headers.connection], [1, 'development', 'close'])
    await restart(nextApp(2))
    assert.equal(await readVersion(port), 2)
    // The port stays the same, and the process ends with the app.
    const [, pid] = await dev.printed(/pid (\d+)\n(?!.*pid)/s)
    assert.equal(await dev.end(), 0)
    assert.equal(isAlive(Number(pid)), false)
  })

  it('finishes requests in the earlier code, and keeps connections without bytes for the new code', async () => {
    const { dev, port, restart } = await startApp(APP)
    await using _ = dev
    const slow = ask({ port, path: '/1500' })
    const idle = connect(port, '127.0.0.1')
    await once(idle, 'connect')
    const ended = connect(port, '127.0.0.1').end().resume()
    await once(ended, 'close')
    await sleep(50)
    await restart(nextApp(2))
    idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const [response] = await once(idle, 'data')
    assert.match(String(response), /"version":2/)
    assert.equal(JSON.parse((await slow).text).version, 1)
  })

  it('keeps the earlier code after a syntax error, and shows it to browsers', async () => {
    const { dev, port, save, restart } = await startApp(APP)
    await using _ = dev
    const failed = dev.next('failed')
    save(nextApp('1 <2> 3 4'))
    assert.deepEqual(await failed, {
      event: 'failed',
      message: 'The saved code does not start (exit code 1)',
      isServed: true,
    })
    assert.match(dev.errors(), /app\.js:2\nconst version = 1 <2> 3 4\n +\^/)
    assert.equal(await readVersion(port), 1)
    const page = await ask({ port, headers: { 'sec-fetch-mode': 'navigate' } })
    assert.deepEqual([page.status, page.headers['content-type']], [503, 'text/html; charset=utf-8'])
    assert.match(page.text, /<pre>.*app\.js:2\nconst version = 1 &#60;2&#62; 3 4\n/s)
    const console = await ask({ port, path: '/__dev__', headers: { 'sec-fetch-mode': 'navigate' } })
    assert.equal(console.status, 200)
    await restart(nextApp(2))
    const { status } = await ask({ port, headers: { 'sec-fetch-mode': 'navigate' } })
    assert.equal(status, 200)
  })

  it('responds 503 after the app has ended, and starts it again at the next save', async () => {
    const { dev, port, restart } = await startApp(APP)
    await using _ = dev
    const failed = dev.next('failed')
    await assert.rejects(ask({ port, path: '/end' }))
    assert.deepEqual(await failed, { event: 'failed', message: 'The app has ended (exit code 3)', isServed: false })
    const { status, headers, text } = await ask({ port, body: '{}' })
    assert.deepEqual([status, headers['content-type']], [503, 'application/problem+json'])
    assert.match(JSON.parse(text).detail, /^The app has ended\. The terminal/)
    // After a second, servers are closed that the new code has not opened.
    await sleep(1_200)
    assert.equal((await ask({ port, headers: { accept: 'text/html' } })).status, 503)
    const encrypted = connect(port, '127.0.0.1').on('error', () => {})
    encrypted.write(Buffer.from([22, 3, 1, 0]))
    await once(encrypted, 'close')
    await restart(nextApp(2))
    assert.equal(await readVersion(port), 2)
  })

  it('starts again after a failed first start', async () => {
    const folder = createDirectory({ ...MANIFEST, 'app.js': 'throw new Error("no database")' })
    await using dev = startDev(folder, ['app.js'])
    assert.equal((await dev.next('failed')).isServed, false)
    assert.match(dev.errors(), /app\.js:1\n.*Error: no database/s)
    saveFile(join(folder, 'app.js'), APP)
    const [, port] = await dev.printed(/port (\d+)/)
    assert.equal(await readVersion(Number(port)), 1)
  })

  it('starts only the code of the last of several saves', async () => {
    const { dev, port, save, restart } = await startApp(APP)
    await using _ = dev
    save(`await new Promise((resolve) => setTimeout(resolve, 60_000))\n`)
    await sleep(700)
    assert.equal(await Promise.race([readVersion(port), sleep(300, 'waits')]), 'waits')
    await restart(nextApp(3))
    assert.equal(await readVersion(port), 3)
    save(`await new Promise((resolve) => setTimeout(resolve, 60_000))\n`)
    await sleep(700)
    assert.equal(await dev.end(), 0)
  })

  it('closes or redirects connections that the app does not take', async () => {
    const { dev, port, restart } = await startApp(`process.send('a message of the app')\n${APP}`)
    await using _ = dev
    const ended = assert.rejects(ask({ port, path: '/busy-end' }))
    await sleep(100)
    assert.equal((await ask({ port })).status, 503)
    await ended
    await restart(nextApp(2))
    const closing = ask({ port, path: '/busy-close' })
    await sleep(100)
    await assert.rejects(ask({ port }))
    assert.equal((await closing).status, 200)
  })

  it('reports the end of an app by a signal', async () => {
    const { dev } = await startApp(APP)
    await using _ = dev
    const [, pid] = await dev.printed(/pid (\d+)/)
    const failed = dev.next('failed')
    process.kill(Number(pid), 'SIGINT')
    assert.match((await failed).message, /exit code 0/)
  })

  it('reports an app that was killed, of a folder without a package', async () => {
    const folder = createDirectory({ 'app.mjs': APP })
    await using dev = startDev(folder, ['app.mjs'])
    const [, pid] = await dev.printed(/pid (\d+)/)
    const failed = dev.next('failed')
    process.kill(Number(pid), 'SIGKILL')
    assert.match((await failed).message, /SIGKILL/)
  })

  it('loads tsx of the project for TypeScript', async () => {
    const tsx = { 'package.json': '{"type":"module","exports":"./a.js"}', 'a.js': `console.log('own tsx')` }
    const files = Object.entries(tsx).map(([name, text]) => [`node_modules/tsx/${name}`, text] as const)
    const folder = createDirectory({ ...MANIFEST, ...Object.fromEntries(files), 'app.ts': APP })
    await using dev = startDev(folder, ['app.ts'])
    await dev.printed(/own tsx.*port \d+/s)
  })

  it('watches new folders, and no packages, results or other files', async () => {
    const { dev, folder, restart, save } = await startApp(APP)
    await using _ = dev
    for (const ignored of ['node_modules', 'dist', '.cache']) mkdirSync(join(folder, ignored))
    let saves = 0
    void dev.next('save').then(() => saves++)
    for (const name of ['dist/a.js', 'node_modules/a.js', '.cache/a.js', 'notes.md']) save('', name)
    await sleep(300)
    assert.equal(saves, 0)
    mkdirSync(join(folder, 'lib/inner'), { recursive: true })
    await sleep(100)
    await restart('export {}', 'lib/inner/a.ts')
    await restart('A=1', '.env')
  })

  it('reports folders that the system cannot watch', async () => {
    const failing = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
fs.watch = () => { throw new Error('ENOSPC: limit of watchers') }
syncBuiltinESMExports()`
    const folder = createDirectory({ ...MANIFEST, 'app.js': APP })
    const nodeOptions = [`--import=data:text/javascript,${encodeURIComponent(failing)}`]
    await using dev = startDev(folder, ['app.js'], { nodeOptions })
    await dev.printed(/Saves in some folders of \S+ are not seen: ENOSPC: limit of watchers\n/)
  })

  it('rejects a missing file, and an invalid port of the inspector', async () => {
    const missing = await verbena(['dev', 'nothing-here.ts'])
    assert.equal(missing.code, 2)
    assert.match(missing.err, /^Cannot load "nothing-here\.ts": the file does not exist/)
    const { code, err } = await verbena(['dev', 'app.ts', '--inspect=high'])
    assert.equal(code, 2)
    assert.match(err, /"--inspect" must be a port, not "high"/)
  })

  it('prints events as text without --json', async () => {
    const folder = createDirectory({ ...MANIFEST, 'app.js': 'throw new Error("no database")' })
    await using dev = startDev(folder, ['app.js'], { text: true })
    await dev.printed(/^Watching .*has ended.*Save a file to start it again/s)
    saveFile(join(folder, 'app.js'), APP)
    await dev.printed(/port \d+/)
    saveFile(join(folder, 'app.js'), nextApp(2))
    await dev.printed(/Changed app\.js\n.*Restarted in \d+ ms\n/s)
    saveFile(join(folder, 'app.js'), nextApp('2 3'))
    await dev.printed(/does not start \(exit code 1\)\. The earlier code continues to respond\n/)
    assert.equal(await dev.end('SIGTERM'), 0)
  })

  it('ends the app if its own process is killed', async () => {
    const { dev } = await startApp(APP)
    const [, pid] = await dev.printed(/pid (\d+)/)
    await dev.end('SIGKILL')
    await eventually(() => assert.equal(isAlive(Number(pid)), false))
  })

  it('kills an app that ignores the first signal at the second one', async () => {
    const { dev } = await startApp(`process.on('SIGTERM', () => console.log('stays'))\n${APP}`)
    const ended = once(dev.child, 'exit')
    dev.child.kill('SIGTERM')
    await dev.printed(/stays/)
    dev.child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })
})

describe('verbena dev: servers', { timeout: 240_000 }, () => {
  it('passes on several servers, of HTTP, TLS, other protocols, and a Unix socket', async () => {
    const tls = new URL('../fixtures/tls/', import.meta.url).pathname
    const app = (version: number): string => `import { createServer as createHttp } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createServer } from 'node:net'
import { readFileSync } from 'node:fs'
const read = (name) => readFileSync('${tls}' + name)
const serve = (request, response) => response.end('${version}')
const servers = [
  createHttp(serve), createHttp(serve), createHttps({ key: read('key.pem'), cert: read('cert.pem') }, serve),
  createServer((socket) => socket.end('hello ${version}')), createHttp(serve),
]
for (const [at, server] of servers.entries()) {
  await new Promise((resolve) => server.listen(at === 4 ? 'app.sock' : 0, resolve))
}
console.log('ports', JSON.stringify(servers.map((server) => server.address().port ?? server.address())))
`
    const { dev, restart } = await startApp(app(1), [], /ports (.*)\n/)
    await using _ = dev
    const [, first] = await dev.printed(/ports (.*)\n/)
    await restart(app(2))
    const [, second] = await dev.printed(/ports .*\n.*ports (.*)\n/s)
    assert.equal(second, first)
    const [one, two, secure, greeting, path] = JSON.parse(String(second))
    assert.match(path, /app\.sock$/)
    await eventually(async () => assert.equal((await ask({ port: one })).text, '2'))
    assert.equal((await ask({ port: two })).text, '2')
    const encrypted = get({ port: secure, rejectUnauthorized: false, agent: false })
    const [response] = await once(encrypted, 'response')
    assert.equal(response.headers.connection, 'close')
    assert.deepEqual(await response.setEncoding('utf8').toArray(), ['2'])
    const [hello] = await once(connect(greeting, '127.0.0.1'), 'data')
    assert.equal(String(hello), 'hello 2')

    // A TLS connection that has brought no request is closed at a save.
    const unused = connectTls({ port: secure, rejectUnauthorized: false })
    await once(unused, 'secureConnect')
    const closed = once(unused, 'close')
    await Promise.all([closed, restart(app(3).replace('[', '['))])
    assert.equal((await ask({ port: one })).text, '3')
  })

  it('closes a server that the app closes, or that new code does not open', async () => {
    const closing = APP.replace("'/end') process.exit(3)", "'/end') server.close()")
    const { dev, port, restart } = await startApp(closing)
    await using _ = dev
    await assert.doesNotReject(ask({ port, path: '/end' }))
    await eventually(() => assert.rejects(ask({ port }), /ECONNREFUSED/))
    await restart(nextApp(2))
    const [, other] = await dev.printed(/port \d+ .*port (\d+)/s)
    assert.equal(await readVersion(Number(other)), 2)
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    // Proof: a TCP server has this address.
    const { port: fixed } = free.address() as AddressInfo
    free.close()
    await once(free, 'close')
    await restart(APP.replace('listen(0', `listen(${fixed}`))
    assert.equal(await readVersion(fixed), 1)
    await eventually(() => assert.rejects(ask({ port: Number(other) }), /ECONNREFUSED/))
  })

  it('reports a port in use to the app', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    // Proof: a TCP server has this address.
    const { port } = taken.address() as AddressInfo
    const app = APP.replace('listen(0', `on('error', (e) => console.log('port', e.port, e.code)).listen(${port}`)
    const { dev } = await startApp(app, [], /port (\d+) EADDRINUSE/)
    await dev.end()
    taken.close()
  })

  it('supports unref, ref, a file descriptor, and an app that closes while it opens a server', async () => {
    const app = `import { createServer } from 'node:net'
const opened = createServer().listen(0, () => {
  const server = createServer()
  server.on('error', () => {}).listen({ fd: 99 })
  opened.ref()
  opened.unref()
  opened.ref()
  opened.unref()
  createServer().listen(0, undefined, 5).close()
  setTimeout(() => console.log('port', opened.address().port), 100)
})
`
    const { dev } = await startApp(app)
    await using _ = dev
    // Nothing keeps the app alive.
    assert.match((await dev.first('failed')).message, /The app has ended \(exit code 0\)/)
  })

  it('names the cause of an app that ends without listening', async () => {
    const folder = createDirectory({ ...MANIFEST, 'app.js': 'if (import.meta.main === "never") throw new Error()' })
    await using dev = startDev(folder, ['app.js'])
    assert.match((await dev.first('failed')).message, /\(exit code 0\)\. If it never listened, .*"import\.meta\.main"/)
  })
})

describe('verbena dev and the commands beside it', { timeout: 240_000 }, () => {
  const RECORD = createShown({ ...FAILED, queries: [], 'dev.flags': ['error'] })
  const sendingApp = (record: object): string => {
    const message = { verbena: 'record', text: JSON.stringify(record), dropped: 0 }
    return `${APP}process.send(${JSON.stringify(message)})\n`
  }

  it('prints a line for each problem, and sends its records and the address of the app', async () => {
    const unsent = { ...RECORD, id: 'r_2', 'http.response.status_code': 0, error: null, 'code.file.path': null }
    const repeated = { ...unsent, id: 'r_3', 'http.response.status_code': 200, 'dev.flags': ['n+1'] }
    const app = [RECORD, unsent, repeated].map((record) => sendingApp(record).slice(APP.length)).join('')
    const folder = createDirectory({ ...MANIFEST, 'app.js': `${APP}${app}` })
    const env = { XDG_RUNTIME_DIR: createDirectory({}) }
    await using dev = startDev(folder, ['app.js'], { text: true, env })
    await dev.printed(/500 GET \/books\/\{id\} {2}TypeError: No such book {2}src\/app\.ts:12 {2}r_1\n/)
    await dev.printed(/no response GET \/books\/\{id\} {2}No problem is described {2}r_2\n/)
    await dev.printed(/200 GET \/books\/\{id\} {2}No problem is described {2}r_3\n/)
    const [, port] = await dev.printed(/port (\d+)/)
    const { out } = await plainVerbena(['replay', 'r_1', '--json'], { cwd: folder, env })
    assert.ok(Number(port) > 0 && JSON.parse(out).status === 200, out)
    assert.equal(await dev.end(), 0)
  })

  it('warns if its folder cannot be used, and runs the app', async () => {
    const folder = createDirectory({ ...MANIFEST, 'app.js': APP })
    const env = { XDG_RUNTIME_DIR: join(folder, 'app.js') }
    await using dev = startDev(folder, ['app.js'], { env })
    const [, port] = await dev.printed(/port (\d+)/)
    assert.match(dev.errors(), /^Commands such as "verbena last" cannot read this app: E/m)
    assert.equal(await readVersion(Number(port)), 1)
    assert.equal(await dev.end(), 0)
  })
})

describe('verbena dev --inspect', { timeout: 240_000 }, () => {
  it('moves the inspector to the newest process', async () => {
    const { dev, restart, save } = await startApp(APP, ['--inspect=0'])
    await using _ = dev
    await dev.printed(/Debugger listening on ws/)
    await restart(nextApp(2))
    await dev.printed(/Debugger listening.*Debugger listening on ws/s)
    const failed = dev.next('failed')
    save(nextApp('2 3'))
    await failed
    // The earlier code gets it back.
    await dev.printed(/SyntaxError.*Debugger listening on ws/s)
  })
})

describe('verbena dev --restart', { timeout: 240_000 }, () => {
  it('waits for the end of the earlier process', async () => {
    const fixed = createServer().listen(0, '127.0.0.1')
    await once(fixed, 'listening')
    // Proof: a TCP server has this address.
    const { port } = fixed.address() as AddressInfo
    fixed.close()
    const app = (version: number): string => nextApp(version).replace('listen(0', `listen(${port}`)
    const { dev, restart } = await startApp(app(1), ['--restart', '--inspect'])
    await using _ = dev
    await dev.printed(/Restarts without hand-over/)
    await restart(app(2))
    await eventually(async () => assert.equal(await readVersion(port), 2))
  })
})
