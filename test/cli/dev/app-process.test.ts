/** What causes a restart of `verbena dev`, and which processes end. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { APP, isAlive, MANIFEST, nextApp, startApp, readVersion } from '#test/dev-app.js'
import { ask, saveFile, startDev, type DevCommand } from '#test/dev-command.js'
import { eventually } from '#test/eventually.js'
import { createDirectory } from '#test/temp-directory.js'

const WRITES = `import { writeFileSync } from 'node:fs'\n`

function savedFiles({ events }: DevCommand): string[] {
  return events.flatMap((event) => (event.event === 'save' ? [event.file] : []))
}

async function pidOf(port: number): Promise<number> {
  return JSON.parse((await ask({ port })).text).pid
}

describe('verbena dev: restarts', { timeout: 240_000 }, () => {
  it('does not restart for a file that the app writes with the same content at each start', async () => {
    const writing = `${WRITES}writeFileSync('data.json', '{}')\n`
    const { dev, port, restart } = await startApp(writing + APP)
    await using _ = dev
    for (const version of [2, 3, 4, 5]) {
      await restart(writing + nextApp(version))
      await eventually(async () => assert.equal(await readVersion(port), version))
    }
    // The first event of a file counts.
    assert.ok(savedFiles(dev).filter((file) => file === 'data.json').length <= 1, savedFiles(dev).join())
  })

  it('reports a file that the app changes at each start', async () => {
    const writing = `${WRITES}writeFileSync('data.json', String(process.hrtime.bigint()))\n`
    const folder = createDirectory({ ...MANIFEST, 'app.js': writing + APP })
    await using dev = startDev(folder, ['app.js'], { text: true })
    await dev.printed(/3 restarts without a request, the last for data\.json\. If the app or a test writes this file/)
  })

  it('counts restarts since the last request to the app, without the console', async () => {
    const { dev, port, save, restart } = await startApp(APP)
    await using _ = dev
    await restart(nextApp(2))
    await restart(nextApp(3))
    assert.equal(await readVersion(port), 3)
    await restart(nextApp(4))
    await restart(nextApp(5))
    await ask({ port, path: '/__dev__/events' })
    assert.deepEqual(
      dev.events.filter(({ event }) => event === 'unused'),
      [],
    )
    const reported = dev.next('unused')
    save(nextApp(6))
    assert.deepEqual(await reported, { event: 'unused', restarts: 3, file: 'app.js' })
  })

  it('restarts on Enter, without a change', async () => {
    const { dev, port } = await startApp(APP)
    await using _ = dev
    const first = await pidOf(port)
    const restarted = dev.next('restart')
    dev.child.stdin?.write('\n')
    await restarted
    assert.notEqual(await pidOf(port), first)
    assert.deepEqual(savedFiles(dev), [])
  })

  it('runs at most three processes, and names a request that it cuts', async () => {
    const { dev, port, restart } = await startApp(APP)
    await using _ = dev
    const states: string[] = []
    const pids: number[] = []
    for (const version of [1, 2, 3]) {
      pids.push(await pidOf(port))
      const slow = ask({ port, path: `/60000?version=${version}` })
      slow.catch(() => states.push(`cut ${version}`))
      await sleep(200)
      if (version < 3) await restart(nextApp(version + 1))
    }
    assert.ok(pids.every(isAlive))
    const cut = dev.next('cut')
    await restart(nextApp(4))
    // The first request of this process has ended.
    assert.deepEqual(await cut, { event: 'cut', request: 'GET /60000', more: 0 })
    await eventually(() => assert.deepEqual(states, ['cut 1']))
    assert.equal(await readVersion(port), 4)
    assert.deepEqual(pids.map(isAlive), [false, true, true])
    dev.child.kill('SIGINT')
    await sleep(50)
    assert.equal(await dev.end(), 0)
  })

  it('immediately ends a process without a connection, even if it ignores SIGTERM', async () => {
    const { dev, restart } = await startApp(`process.on('SIGTERM', () => {})\n${APP}`)
    await using _ = dev
    const [, pid] = await dev.printed(/pid (\d+)/)
    const begin = performance.now()
    await restart(nextApp(2))
    await eventually(() => assert.equal(isAlive(Number(pid)), false))
    // With a connection, it has 15 s.
    assert.ok(performance.now() - begin < 14_000)
  })

  it('counts further files of a save', async () => {
    const folder = createDirectory({ ...MANIFEST, 'app.js': APP })
    await using dev = startDev(folder, ['app.js'], { text: true })
    await dev.printed(/port \d+/)
    for (const name of ['a.js', 'b.js', 'c.js']) saveFile(join(folder, name), '')
    await dev.printed(/Changed a\.js and 2 more\n/)
  })

  it('passes connections to workers of node:cluster, which finish their requests', async () => {
    const app = (version: number): string => `import cluster from 'node:cluster'
import { createServer } from 'node:http'
if (cluster.isPrimary) {
  cluster.fork()
  cluster.fork()
} else {
  createServer((request, response) => setTimeout(() => response.end('${version}'), Number(request.url.slice(1))))
    .listen(0, '127.0.0.1', function () { console.log('port', this.address().port) })
}
`
    const { dev, port, restart } = await startApp(app(1))
    await using _ = dev
    await eventually(async () => assert.equal((await ask({ port })).text, '1'))
    const slow = ask({ port, path: '/3000' })
    await sleep(500)
    await restart(app(2))
    await eventually(async () => assert.equal((await ask({ port })).text, '2'))
    assert.equal((await slow).text, '1')
  })

  it('reports a connection without a request that it cuts', async () => {
    const app = (version: number): string => `import { createServer } from 'node:net'
createServer((socket) => socket.write('hello ${version}')).listen(0, '127.0.0.1', function () { console.log('port', this.address().port) })
`
    const folder = createDirectory({ ...MANIFEST, 'app.js': app(1) })
    await using dev = startDev(folder, ['app.js'], { text: true })
    const [, port] = await dev.printed(/port (\d+)/)
    for (const version of [2, 3, 4]) {
      const sockets = [1, 2].map(() => connect(Number(port), '127.0.0.1').on('error', () => {}))
      await Promise.all(sockets.map((socket) => once(socket, 'data')))
      saveFile(join(folder, 'app.js'), app(version))
      await dev.printed(new RegExp(`(?:Restarted[^]*){${version - 1}}`))
    }
    await dev.printed(/Ended earlier code that had not finished a connection and 1 more\n/)
  })
})
