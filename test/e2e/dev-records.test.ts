/** Commands beside a running `verbena dev`: recorded requests of all runs, also while the app is down. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createProject } from '#test/command-line.js'
import { ask, saveFile, startDev } from '#test/dev-command.js'
import { eventually } from '#test/eventually.js'

const PROGRAM = 'node_modules/verbena/dist/cli.js'
const APP = `import { createApp, Route } from 'verbena'

class Books extends Route {
  get({ log }) {
    log.info('looking for a book')
    throw new TypeError('No such book, token=hunter2')
  }

  post({ log }) {
    return { args: process.argv.slice(2) }
  }
}
const { port } = await createApp({ routes: { Books } }).listen()
console.error('port', port)
`

describe('commands beside verbena dev', { timeout: 120_000 }, () => {
  it('show requests of all runs with the page closed, and a start that fails while the app is down', async () => {
    using project = await createProject({ 'app.js': APP })
    const { folder, verbena } = project
    await using dev = startDev(folder, ['app.js', '--', '--flag'], { program: join(folder, PROGRAM) })
    const [, port] = await dev.printed(/port (\d+)/)
    const problem = dev.next('problem')
    await ask({ port: Number(port), path: '/books?token=hunter2' })
    const { id, status, request, problem: error, place, query } = await problem
    assert.deepEqual([status, request, place, query], [500, 'GET /books', 'app.js:6', null])
    assert.match(error, /^TypeError: No such book/)

    const first = await verbena(['last'])
    assert.equal(first.code, 1)
    assert.match(first.out, new RegExp(String.raw`^500  GET /books  [\d.]+ ms  run 1  ${id}\nTypeError: No such book`))
    assert.match(first.out, /\n {2}at app\.js:6\n {4}5 \| {5}log\.info[^\n]*\n {2}> 6 \| {5}throw new TypeError/)

    const restarted = dev.next('restart')
    saveFile(join(folder, 'app.js'), APP.replace('class Books', '// Saved.\nclass Books'))
    await restarted
    const { text } = await ask({ port: Number(port), path: '/books', body: '{}' })
    // Arguments after "--" belong to the app, also after a restart.
    assert.deepEqual(JSON.parse(text), { args: ['--flag'] })
    const rows = await eventually(async () => {
      const list = JSON.parse((await verbena(['requests', '--json'])).out)
      assert.equal(list.length, 2)
      return list
    })
    assert.deepEqual(
      rows.map((row: { method: string; run: number }) => [row.method, row.run]),
      [
        ['POST', 2],
        ['GET', 1],
      ],
    )
    const replayed = await verbena(['replay', id, '--json'])
    assert.match(replayed.err, /^Cannot replay "r_\w+": its URL contains a secret/)
    const logs = await verbena(['logs'])
    assert.match(logs.out, /looking for a book/)

    const failed = dev.next('failed')
    saveFile(join(folder, 'app.js'), 'const a = ;\n')
    await failed
    const { code, out } = await verbena(['last'])
    assert.equal(code, 1)
    assert.match(
      out,
      /^The saved code does not start \(exit code 1\) {2}run 3\n {2}at app\.js:1\n {2}> 1 \| const a = ;\n/,
    )
    const everything = [first, logs, await verbena(['request', id, '--json']), await verbena(['requests', '--json'])]
    assert.ok(everything.every((result) => !`${result.out}${result.err}`.includes('hunter2')))
    assert.equal(await dev.end(), 0)
    const ended = await verbena(['last'])
    assert.deepEqual(
      [ended.code, ended.err],
      [2, 'No "verbena dev" runs in this folder. Start it with "npx verbena dev <file>"\n'],
    )
  })

  it('keep at most 200 requests of a flood, and print one line for each problem', async () => {
    using project = await createProject({ 'app.js': APP })
    const { folder, verbena } = project
    await using dev = startDev(folder, ['app.js'], { program: join(folder, PROGRAM), text: true })
    const [, port] = await dev.printed(/port (\d+)/)
    for (let turn = 0; turn < 25; turn++) {
      await Promise.all(Array.from({ length: 12 }, () => ask({ port: Number(port), path: '/books' })))
    }
    await dev.printed(/500 GET \/books {2}TypeError: No such book[^\n]* {2}app\.js:6 {2}r_\w+\n/)
    const rows = JSON.parse((await verbena(['requests', '--json'])).out)
    assert.equal(rows.length, 200)
  })

  it('work independently: verbena dev runs the app if its folder cannot be used', async () => {
    using project = await createProject({ 'app.js': APP })
    const { folder } = project
    const env = { XDG_RUNTIME_DIR: join(folder, 'package.json') }
    await using dev = startDev(folder, ['app.js'], { program: join(folder, PROGRAM), env })
    const [, port] = await dev.printed(/port (\d+)/)
    assert.match(dev.errors(), /^Commands such as "verbena last" cannot read this app: E/m)
    assert.equal((await ask({ port: Number(port), path: '/books' })).status, 500)
    assert.ok(readFileSync(join(folder, 'package.json')).length > 0)
  })
})
