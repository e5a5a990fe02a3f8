/** `verbena agent` beside a real app, while it runs, while it does not start, and after its end. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { connectAgent } from '#test/agent-client.js'
import { createProject } from '#test/command-line.js'
import { ask, saveFile, startDev } from '#test/dev-command.js'
import { eventually } from '#test/eventually.js'

const PROGRAM = 'node_modules/verbena/dist/cli.js'
const APP = `import { createApp, Route } from 'verbena'

class Books extends Route {
  get({ log }) {
    log.info('looking, password=hunter2')
    throw new TypeError('No such book, token=hunter2')
  }

  post({ body }) {
    throw new TypeError('No such shelf')
  }
}
const { port } = await createApp({ routes: { Books } }).listen()
console.error('port', port)
`

describe('verbena agent beside verbena dev', { timeout: 120_000 }, () => {
  it('works with the page closed and the app down, and shows no secret', async (t) => {
    using project = await createProject({ 'app.js': APP })
    const { folder } = project
    await using dev = startDev(folder, ['app.js'], { program: join(folder, PROGRAM) })
    const [, port] = await dev.printed(/port (\d+)/)
    const headers = { authorization: 'Bearer hunter2', cookie: 'session=hunter2' }
    await ask({ port: Number(port), path: '/books?token=hunter2', headers })
    await ask({ port: Number(port), path: '/books', headers })
    await ask({ port: Number(port), path: '/books', body: '{"password":"hunter2"}', headers })
    const program = [join(folder, PROGRAM)]
    const { call } = await connectAgent(t, { cwd: folder, program, env: { NODE_V8_COVERAGE: '' } })
    const list = await eventually(async () => {
      const { text } = await call('requests')
      assert.equal(text.match(/\/books/g)?.length, 3)
      return text
    })
    const [post, get, withSecret] = [...list.matchAll(/r_\w+/g)].map(([id]) => id)
    const texts = [list]
    for (const [tool, args] of [
      ['last', {}],
      ...[post, get, withSecret].map((id) => ['request', { id }] as const),
      ...['calls', 'queries', 'problems'].map((show) => ['requests', { show }] as const),
      ['logs', {}],
      ['replay', { id: get }],
      ['replay', { id: withSecret }],
      ['replay', { id: post }],
    ] as const) {
      texts.push((await call(tool, args)).text)
    }
    assert.match(
      texts.join('\n'),
      /No such shelf[^]*app\.js:10[^]*500 {2}\d+ ms[^]*its URL contains a secret[^]*Cannot replay a POST/,
    )
    assert.ok(!texts.join('\n').includes('hunter2'))

    const failed = dev.next('failed')
    saveFile(join(folder, 'app.js'), 'const a = ;\n')
    await failed
    const down = await call('last')
    assert.match(down.text, /^# The saved code does not start \(exit code 1\) \(run 2\)\n[^]*> 1 \| const a = ;/)
    assert.match((await call('request', { id: post })).text, /^# 500 {2}POST \/books/)
    assert.equal(await dev.end(), 0)
    const ended = await call('last')
    assert.deepEqual(
      [ended.isError, ended.text],
      [true, 'No "verbena dev" runs in this folder. Start it with "npx verbena dev <file>"'],
    )
  })
})
