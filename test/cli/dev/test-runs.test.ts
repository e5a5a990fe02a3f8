// own process: it removes a variable of the test runner
/** Runs of tests by `verbena dev --test`: results, interruptions, and the command itself. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { formatTests, TestRuns, type SlowTestsEvent, type TestsEvent } from '#src/cli/dev/test-runs.js'
import { createProject } from '#test/command-line.js'
import { read, snapshotWhere } from '#test/console.js'
import { MANIFEST } from '#test/dev-app.js'
import { saveFile, startDev } from '#test/dev-command.js'
import { eventually } from '#test/eventually.js'
import { createDirectory } from '#test/temp-directory.js'

const HEAD = `import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n`
const FILES = {
  'package.json': '{"type":"module"}',
  'fine.test.js': `${HEAD}test('fine', () => {})`,
  'wrong.test.js': `${HEAD}test('wrong', () => assert.equal(1, 2))`,
  'text.test.js': `${HEAD}test('text', () => { throw 'a text' })`,
  // Writes the id of its process, and does not end.
  'slow.test.js': `${HEAD}import { writeFileSync } from 'node:fs'
test('slow', async () => {
  writeFileSync(new URL('pid', import.meta.url), String(process.pid))
  if (process.env.SLOW !== 'no') await new Promise((resolve) => setTimeout(resolve, 120_000))
})`,
}

/** Option of Node that reports tests without an end after 100 ms. */
const SHORTER = `--import=data:text/javascript,${encodeURIComponent(
  'const set = setInterval; globalThis.setInterval = (act, ms) => set(act, ms === 10_000 ? 100 : ms)',
)}`

// With the variable, Node runs no tests in a process of a test.
delete process.env['NODE_TEST_CONTEXT']

interface Started {
  readonly runs: TestRuns
  readonly folder: string
  readonly events: readonly (TestsEvent | SlowTestsEvent)[]
  /** Waits for the event with a number, from 1. */
  readonly result: (number: number) => Promise<TestsEvent>
  /** Waits for the process of the slow test, and returns its id. */
  readonly slow: () => Promise<number>
}

/** Starts runs in which the changed files are the tests. */
function startRuns(options: readonly string[] = [`--import=${import.meta.resolve('tsx')}`]): Started {
  const folder = createDirectory(FILES)
  const events: (TestsEvent | SlowTestsEvent)[] = []
  const select = async (changed: ReadonlySet<string>): Promise<string[]> =>
    changed.has('lost.js')
      ? Promise.reject(new Error('lost'))
      : [...changed].filter((name) => name in FILES).map((name) => join(folder, name))
  const runs = new TestRuns({ options, env: process.env }, select, (event) => events.push(event))
  const result = (number: number): Promise<TestsEvent> =>
    eventually(() => {
      const event = events[number - 1]
      assert.ok(event?.event === 'tests')
      return event
    })
  return { runs, folder, events, result, slow: () => readPid(folder) }
}

function readPid(folder: string): Promise<number> {
  return eventually(() => {
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
    assert.ok(pid > 0)
    return pid
  })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('TestRuns', { timeout: 240_000 }, () => {
  it('runs the tests of a change once, and reports their results', async () => {
    const { runs, folder, events, result } = startRuns()
    runs.start()
    runs.change('fine.test.js')
    runs.change('wrong.test.js')
    runs.start()
    runs.start()
    const { ms, failures, ...others } = await result(1)
    const files = [join(folder, 'fine.test.js'), join(folder, 'wrong.test.js')]
    assert.deepEqual(others, { event: 'tests', files, passed: 1 })
    assert.deepEqual(failures, [
      { file: files[1], line: 3, name: 'wrong', message: 'Expected values to be strictly equal:\n\n1 !== 2\n' },
    ])
    assert.ok(ms > 0)
    runs.start()
    runs.change('notes.txt')
    runs.start()
    assert.deepEqual({ ...(await result(2)), ms: 0 }, { event: 'tests', files: [], passed: 0, failures: [], ms: 0 })
    assert.equal(events.length, 2)
  })

  it('ends a run at a change, and includes its tests in the next run', async () => {
    const { runs, folder, events, result, slow } = startRuns()
    runs.change('slow.test.js')
    runs.start()
    const pid = await slow()
    saveFile(join(folder, 'slow.test.js'), FILES['fine.test.js'])
    runs.change('fine.test.js')
    await eventually(() => assert.equal(isAlive(pid), false))
    runs.start()
    const { files, passed } = await result(1)
    assert.deepEqual(
      [files.map((file) => file.slice(folder.length + 1)), passed],
      [['slow.test.js', 'fine.test.js'], 2],
    )
    assert.equal(events.length, 1)
  })

  it('starts only the last of several runs', async () => {
    const { runs, events, result } = startRuns()
    for (const name of ['fine.test.js', 'notes.txt', 'fine.test.js']) {
      runs.change(name)
      runs.start()
      if (name === 'notes.txt') await new Promise((resolve) => setImmediate(resolve))
    }
    assert.equal((await result(1)).files.length, 1)
    assert.equal(events.length, 1)
  })

  it('ends without a result', async () => {
    const { runs, events, slow } = startRuns()
    runs.change('slow.test.js')
    runs.start()
    const pid = await slow()
    await runs.end()
    runs.start()
    await eventually(() => assert.equal(isAlive(pid), false))
    assert.deepEqual(events, [])
  })

  it('reports the place of a test that throws no Error', async () => {
    const { runs, folder, result } = startRuns()
    runs.change('text.test.js')
    runs.start()
    const [failure] = (await result(1)).failures
    assert.deepEqual([failure?.file, failure?.message], [join(folder, 'text.test.js'), 'a text'])
  })

  it('reports a test that does not end', async () => {
    const options = [`--import=${import.meta.resolve('tsx')}`, SHORTER]
    const { runs, folder, events, slow } = startRuns(options)
    runs.change('fine.test.js')
    runs.change('slow.test.js')
    runs.start()
    await slow()
    await eventually(() => {
      const tests = events.flatMap((event) => (event.event === 'slow-tests' ? event.tests : []))
      assert.ok(tests.includes(`${join(folder, 'slow.test.js')} slow`), tests.join())
    })
    await runs.end()
    assert.ok(events.every(({ event }) => event === 'slow-tests'))
  })

  it('reports an error of the file system', async () => {
    const { runs, result } = startRuns()
    runs.change('lost.js')
    runs.start()
    assert.deepEqual((await result(1)).failures, [{ file: null, line: null, name: '', message: 'Error: lost' }])
  })

  it('reports a process that does not run the tests', async () => {
    const { runs, result } = startRuns(['--import=data:text/javascript,process.exit(3)'])
    runs.change('fine.test.js')
    runs.start()
    const [failure] = (await result(1)).failures
    assert.equal(failure?.message, 'Error: Node ended with exit code 3')
  })
})

describe('verbena dev --test', { timeout: 240_000 }, () => {
  const APP = {
    'package.json': '{"type":"module","imports":{"#users":"./src/users.js"}}',
    'src/server.js': `import { createApp, Route } from 'verbena'
import { names } from '#users'
class Users extends Route {
  get() {
    return names()
  }
}
await createApp({ routes: { Users } }).listen({ port: 0 })`,
    'src/users.js': `export const names = () => ['ada']`,
    'src/teams.js': `export const teams = []`,
    'test/users.test.js': `${HEAD}import { names } from '#users'\ntest('names', () => assert.deepEqual(names(), ['ada']))`,
    'test/teams.test.js': `${HEAD}import { teams } from '../src/teams.js'\ntest('teams', () => assert.ok(teams))`,
  }
  const program = 'node_modules/verbena/dist/cli.js'

  it('runs the tests that import a saved file after the restart, and shows failures in the console', async () => {
    using project = await createProject(APP)
    const { folder } = project
    await using dev = startDev(folder, ['src/server.js', '--test'], { program: join(folder, program) })
    const [url] = await dev.printed(/http:\/\/127\.0\.0\.1:\d+/)
    const save = async (name: string, text: string): Promise<TestsEvent> => {
      const restarted = dev.next('restart')
      const tested = dev.next('tests')
      saveFile(join(folder, name), text)
      assert.equal(await Promise.race([restarted, tested]), await restarted)
      return tested
    }
    const { files, failures } = await save('src/users.js', `export const names = () => ['grace']`)
    assert.deepEqual(files, ['test/users.test.js'])
    assert.deepEqual(
      failures.map(({ message, ...place }) => [place, message.split('\n')[0]]),
      [[{ file: 'test/users.test.js', line: 4, name: 'names' }, 'Expected values to be strictly deep-equal:']],
    )
    assert.deepEqual(await read(`${url}/users`), ['grace'])
    const { logs } = await snapshotWhere(String(url), (each) => each.logs.length > 2)
    const line = logs.find(({ level, message }) => level === 'error' && message.includes('\n'))
    assert.match(String(line?.message), /^test\/users\.test\.js:4 names\n {2}Expected values/)

    const all = await save('src/server.js', `${APP['src/server.js']}\n`)
    assert.deepEqual(all.files.toSorted(), ['test/teams.test.js', 'test/users.test.js'])
    const fixed = await save('src/users.js', APP['src/users.js'])
    assert.deepEqual([fixed.files, fixed.passed, fixed.failures], [['test/users.test.js'], 1, []])
    await snapshotWhere(String(url), (each) => each.logs.some(({ message }) => message.startsWith('1 test passed in')))

    // The earlier code responds, and its console shows the error.
    const tested = dev.next('tests')
    saveFile(join(folder, 'src/users.js'), 'export const names = 1 2')
    const broken = await tested
    assert.match(String(broken.failures[0]?.message), /SyntaxError/)
    assert.deepEqual([broken.failures[0]?.file, broken.failures[0]?.line], ['src/users.js', 1])
    await snapshotWhere(String(url), (each) => each.logs.some(({ message }) => message.includes('does not start')))
    assert.equal(await dev.end(), 0)
  })

  it('prints results as text, and selects tests by text in their path', async () => {
    const server = `import { names } from '#users'\nsetInterval(names, 1000)\nconsole.log('started')`
    const folder = createDirectory({ ...APP, 'src/server.js': server, 'check/users.js': APP['test/users.test.js'] })
    const args = ['src/server.js', '--test=check/', '--test=teams.']
    await using dev = startDev(folder, args, { text: true })
    await dev.printed(/started/)
    saveFile(join(folder, 'src/users.js'), `export const names = () => ['grace']`)
    await dev.printed(/Restarted in.*1 of 1 test failed in \d+ ms\ncheck\/users\.js:4 names\n {2}Expected/s)
    saveFile(join(folder, 'src/users.js'), APP['src/users.js'])
    await dev.printed(/1 test passed in \d+ ms: check\/users\.js\n/)
  })

  it('prints tests that do not end', async () => {
    const folder = createDirectory({ ...FILES, 'app.js': `setInterval(() => {}, 1000)\nconsole.log('started')` })
    const options = { text: true, nodeOptions: [SHORTER] }
    await using dev = startDev(folder, ['app.js', '--test=slow'], options)
    await dev.printed(/started/)
    saveFile(join(folder, 'app.js'), 'setInterval(() => {}, 2000)')
    await dev.printed(/No test has ended for 10 s\. Running: slow\.test\.js slow\n/)
  })

  it('reports a project without tests', async () => {
    const folder = createDirectory({ ...MANIFEST, 'app.js': `console.log('started')` })
    await using dev = startDev(folder, ['app.js', '--test'])
    await dev.printed(/started/)
    const tested = dev.next('tests')
    saveFile(join(folder, 'app.js'), `console.log('started again')`)
    assert.deepEqual((await tested).files, [])
  })

  it('runs no test without the option, and ends tests with its own process', async () => {
    const slow = { ...FILES, 'app.js': `setInterval(() => {}, 1000)\nconsole.log('started')` }
    const [without, ended] = [createDirectory(slow), createDirectory(slow)]
    await using dev = startDev(without, ['app.js'])
    await using other = startDev(ended, ['app.js', '--test'])
    await Promise.all([dev, other].map((each) => each.printed(/started/)))
    for (const folder of [without, ended]) saveFile(join(folder, 'app.js'), `${slow['app.js']}\n`)
    const pid = await readPid(ended)
    assert.equal(isAlive(pid), true)
    await other.end('SIGKILL')
    await eventually(() => assert.equal(isAlive(pid), false))
    await dev.first('restart')
    assert.equal(existsSync(join(without, 'pid')), false)
  })
})

describe('formatTests()', () => {
  const event: TestsEvent = { event: 'tests', files: ['a.js'], passed: 1, failures: [], ms: 7 }
  const failure = { file: 'a.js', line: 3, name: 'suite > test', message: 'wrong\n\n1 !== 2\n' }

  it('lists or counts the files of passed tests', () => {
    assert.deepEqual(formatTests(event), ['1 test passed in 7 ms: a.js'])
    const files = ['a.js', 'b.js', 'c.js']
    assert.deepEqual(formatTests({ ...event, files, passed: 9 }), ['9 tests passed in 7 ms: a.js, b.js, c.js'])
    assert.deepEqual(formatTests({ ...event, files: [...files, 'd.js'] }), ['1 test passed in 7 ms: 4 files'])
    assert.deepEqual(formatTests({ ...event, files: [] }), ['No test imports the changed files'])
  })

  it('counts failed tests, and shows their place, name and message', () => {
    assert.deepEqual(formatTests({ ...event, failures: [failure] }), [
      '1 of 2 tests failed in 7 ms',
      'a.js:3 suite > test\n  wrong\n\n  1 !== 2',
    ])
    const long = { file: null, line: null, name: '', message: 'line\n'.repeat(50) }
    const [, text = ''] = formatTests({ ...event, failures: [long] })
    assert.equal(text, `-${'\n  line'.repeat(20)}`)
  })
})
