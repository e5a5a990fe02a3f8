// own process: the loop listens for the end of the process
/**
 * Connections that wait, and what `verbena dev` leaves after random sequences of saves and requests: one process, and no further descriptor
 * or socket.
 *
 * `DEV_SEED` repeats a run, `DEV_COUNT` makes it longer; `npm run test:dev-sequences` does so.
 */
import assert from 'node:assert/strict'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { DevLoop, type DevEvent } from '#src/cli/dev/dev-loop.js'
import { DevRecords } from '#src/cli/dev/dev-records.js'
import { loadRules } from '#src/cli/dev/error-page.js'
import { createProject } from '#test/command-line.js'
import { saveFile, startDev } from '#test/dev-command.js'
import { countChildren, runSequence } from '#test/dev-sequences.js'
import { eventually } from '#test/eventually.js'
import { createDirectory } from '#test/temp-directory.js'

const PROGRAM = 'node_modules/verbena/dist/cli.js'
const SEED = Number(process.env['DEV_SEED'] ?? 20_260_101)
const COUNT = Number(process.env['DEV_COUNT'] ?? 10)
const SAVES = 60
const SAVE_INTERVAL = 150

describe('DevLoop: several saves', { timeout: 120_000 }, () => {
  it('holds connections back from code that listens after the next save was noticed', async (test) => {
    const { loop, events, read, write, saveSecond, finishSecond } = await startFirst(test)
    await saveSecond()
    loop.hold()
    finishSecond('listen')
    await eventually(() => assert.deepEqual(events(), ['save', 'restart']))
    const waiting = read()
    await assertWaits(waiting)
    write('3')
    loop.save(['version'])
    assert.equal(await waiting, '3')
  })

  it('serves connections with code that listens before a save turns out to have changed nothing', async (test) => {
    const { loop, events, read, saveSecond, finishSecond } = await startFirst(test)
    await saveSecond()
    loop.hold()
    finishSecond('listen')
    await eventually(() => assert.deepEqual(events(), ['save', 'restart']))
    const waiting = read()
    await assertWaits(waiting)
    loop.save([])
    assert.equal(await waiting, '2')
  })

  it('holds connections back from earlier code if its successor fails after the next save was noticed', async (test) => {
    const { loop, events, read, write, saveSecond, finishSecond } = await startFirst(test)
    await saveSecond()
    loop.hold()
    finishSecond('fail')
    await eventually(() => assert.deepEqual(events(), ['save', 'failed']))
    // The loop decides about connections after it has loaded them.
    await loadRules()
    const waiting = read()
    await assertWaits(waiting)
    write('3')
    loop.save(['version'])
    assert.equal(await waiting, '3')
  })

  it('holds connections back from earlier code while its successor opens one server after the other', async (test) => {
    const { loop, onRestart, read, write, finishSecond } = await startFirst(test, 'late')
    assert.equal(await eventually(() => read('late')), '1')
    write('2')
    loop.save(['version'])
    const waiting = read('late')
    onRestart(() => {
      loop.hold()
      loop.save([])
      finishSecond('listen')
    })
    assert.deepEqual([await read(), await waiting], ['2', '2'])
  })

  it('serves connections with new code instead of the page of an earlier failure', async (test) => {
    const { loop, events, read, write, saveSecond, finishSecond } = await startFirst(test)
    await saveSecond()
    finishSecond('fail')
    await eventually(async () => assert.match(await readPage(loop), /The saved code does not start/))
    write('3')
    loop.save(['version'])
    assert.equal(await readPage(loop), '3')
    assert.equal(await read(), '3')
    assert.deepEqual(events(), ['save', 'failed', 'save', 'restart'])
  })
})

describe('verbena dev', { timeout: 4 * 3_600_000, skip: process.platform !== 'linux' }, () => {
  it('leaves one process, and no further descriptor or socket after random sequences', async (test) => {
    using project = await createProject({})
    const counts = new Map<string, number>()
    for (let index = 0; index < COUNT; index++) {
      const seed = SEED + index
      const run = runSequence(join(project.folder, String(index)), join(project.folder, PROGRAM), seed)
      const names = await run.catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${String(error)}`, { cause: error })
      })
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    const steps = [...counts].map(([name, count]) => `${count} ${name}`)
    test.diagnostic(`${COUNT} sequences, seed ${SEED}: ${steps.join(', ')}`)
  })

  it('runs at most three processes during 60 saves in 9 s, and one after them', async () => {
    using project = await createProject({
      'app.js': `import { createServer } from 'node:http'
import { version } from './version.js'
createServer((request, response) => response.end(String(version))).listen(0, () => console.log('listens', version))`,
      'version.js': 'export const version = 0\n',
    })
    await using dev = startDev(project.folder, ['app.js'], { program: join(project.folder, PROGRAM) })
    await dev.printed(/listens 0/)
    const counts: number[] = []
    for (let version = 1; version <= SAVES; version++) {
      saveFile(join(project.folder, 'version.js'), `export const version = ${version}\n`)
      await sleep(SAVE_INTERVAL)
      counts.push(countChildren(dev.child))
    }
    assert.ok(Math.max(...counts) <= 3, counts.join())
    await dev.printed(new RegExp(`listens ${SAVES}\n`))
    await eventually(() => assert.equal(countChildren(dev.child), 1))
  })
})

/** Unix sockets of the app. It has an HTTP server too, which it opens first. */
type Socket = 'early' | 'late'

interface First {
  readonly loop: DevLoop
  readonly events: () => string[]
  readonly onRestart: (listener: () => void) => void
  /** Opens a connection, and returns the version that serves it. */
  readonly read: (socket?: Socket) => Promise<string>
  readonly write: (version: string) => void
  /** Saves version 2, and waits until it has read its file. */
  readonly saveSecond: () => Promise<void>
  readonly finishSecond: (end: 'listen' | 'fail') => void
}

/** Starts version 1 of an app that responds for some time after its end. Version 2 waits before it opens `gate`. */
async function startFirst(test: TestContext, gate: Socket = 'early'): Promise<First> {
  const folder = createDirectory({ version: '1' })
  const path = (name: string): string => join(folder, name)
  const app = `import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
const version = readFileSync('${path('version')}', 'utf8')
process.on('SIGTERM', () => setTimeout(() => process.exit(), 300))
const pass = async (name) => {
  if (version !== '2' || name !== '${gate}') return
  writeFileSync('${path('is-read')}', '')
  while (!existsSync('${path('end')}')) await new Promise((resolve) => setTimeout(resolve, 5))
  if (readFileSync('${path('end')}', 'utf8') === 'fail') process.exit(1)
}
await pass('early')
createHttpServer((request, response) => response.end(version)).listen(0)
createServer((socket) => socket.end(version)).listen('${path('early')}')
await pass('late')
createServer((socket) => socket.end(version)).listen('${path('late')}')`
  const file = join(createDirectory({ 'app.mjs': app }), 'app.mjs')
  const options = ['--import', import.meta.resolve('tsx'), `--import=${pathToFileURL('src/cli/dev/preload.ts').href}`]
  const events: DevEvent[] = []
  let restarted = (): void => {}
  const emit = (event: DevEvent): void => {
    events.push(event)
    if (event.event === 'restart') restarted()
  }
  const records = new DevRecords(process.cwd(), () => {})
  const program = { options, args: [file], env: process.env, output: 2 } as const
  const loop = new DevLoop(program, { inspectorPort: null, spare: null, records, emit })
  test.after(() => loop.end())
  await loop.start()
  const read = (socket: Socket = 'early'): Promise<string> => text(connect(path(socket)))
  const write = (version: string): void => writeFileSync(path('version'), version)
  assert.equal(await eventually(read), '1')
  return {
    ...{ loop, read, write },
    events: () => events.map(({ event }) => event),
    onRestart: (listener) => void (restarted = listener),
    saveSecond: async () => {
      write('2')
      loop.save(['version'])
      await eventually(() => assert.ok(existsSync(path('is-read'))))
    },
    finishSecond: (end) => {
      // In one step, because the app reads the file as soon as it exists.
      writeFileSync(path('end.new'), end)
      renameSync(path('end.new'), path('end'))
    },
  }
}

async function assertWaits(response: Promise<string>): Promise<void> {
  assert.equal(await Promise.race([response, sleep(100, 'waits')]), 'waits')
}

/** Requests a page as a browser does. */
async function readPage({ origins: [origin = ''] }: DevLoop): Promise<string> {
  const response = await fetch(origin, { headers: { accept: 'text/html' } })
  return response.text()
}
