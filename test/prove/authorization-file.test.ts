// own process: it changes environment variables, because proofs refuse to run in production
/** The file of `authorization`: comparison and subtests. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, it } from 'node:test'
import { ACTORS, createTasks, listFindings, withEnvironment, writtenFile } from '#test/proof.js'
import { authorization } from 'verbena/prove'

describe('authorization(): comparison with the file', () => {
  it('reports a changed decision, a missing line and a line without an endpoint', async () => {
    using file = await writtenFile()
    const [head, titles, , ...rows] = file.text.split('\n')
    const changed = rows.map((row) => row.replace('401      POST', '403      POST'))
    file.text = [head, titles, ...changed.slice(0, -1), 'reached  401      GET /gone', ''].join('\n')
    const lines = await listFindings(file.compare(createTasks(), { actors: ACTORS }))
    assert.deepEqual(
      lines.map((line) => line.replaceAll(file.path, 'FILE')),
      [
        'GET /open (Open): FILE has no line for it. Review it, and run the test once with UPDATE=1: "reached  reached  GET /open"',
        'POST /tasks (Tasks): nobody: 401, but FILE says 403 in "reached  403  POST /tasks"',
        'GET /gone: FILE has a line for it, but the app has no such endpoint: "reached  401  GET /gone". Remove it',
      ],
    )
  })

  it('accepts a file: URL, and does not write without UPDATE=1', async () => {
    using file = await writtenFile()
    const before = file.text
    await authorization(createTasks(), { actors: ACTORS, file: pathToFileURL(file.path), subtests: false })
    assert.equal(file.text, before)
  })

  it('has no subtests outside of node --test', async () => {
    using file = await writtenFile()
    await withEnvironment({ NODE_TEST_CONTEXT: undefined }, async () => {
      const { text } = await authorization(createTasks(), { actors: ACTORS, file: file.path })
      assert.equal(text, file.text)
    })
  })

  it('runs a subtest of node:test for each endpoint', async () => {
    using file = await writtenFile()
    file.text = file.text.replace('401      GET /tasks', 'reached  GET /tasks')
    const script = join(file.path, '..', 'subtests.test.mjs')
    const source = (path: string): string => JSON.stringify(import.meta.resolve(path))
    writeFileSync(
      script,
      `import { test } from 'node:test'
import { bearer, createApp, Route } from ${source('verbena')}
import { authorization } from ${source('verbena/prove')}
const user = bearer((token) => token === 't-ada')
class Tasks extends Route {
  static uses = { user }
  get() {}
  post() {}
}
class Open extends Route {
  get() {}
}
const app = createApp({ routes: { Tasks, Open }, openapi: false })
const options = { actors: { ada: { bearer: 't-ada' }, nobody: {} }, file: ${JSON.stringify(file.path)} }
test('within a test', async () => {
  await authorization(app, options)
})
await authorization(app, options)
`,
    )
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const run = (flags: string[]): string =>
      spawnSync(process.execPath, [...flags, script], { encoding: 'utf8', env }).stdout
    const output = run(['--test', '--test-reporter=tap'])
    assert.match(output, /# Subtest: within a test\n {4}# Subtest: GET \/open\n {4}ok 1 - GET \/open/)
    assert.match(output, /\n {4}not ok 2 - GET \/tasks\n[^]*GET \/tasks \(Tasks at .*nobody: 401, but .* says reached/)
    assert.match(output, /\n {4}ok 3 - POST \/tasks\n[^]*\nnot ok 1 - within a test\n/)
    assert.match(output, /\n# Subtest: GET \/open\nok 2 - GET \/open\n[^]*\nnot ok 3 - GET \/tasks\n/)
    assert.match(output, /\n# pass 4\n# fail 3\n/)
    // Without findings, the process uses no debugger, and its coverage counts.
    const failing = file.text
    file.text = failing.replace('reached  reached  GET /tasks', 'reached  401      GET /tasks')
    assert.match(run(['--test', '--test-reporter=tap']), /\n# pass 7\n# fail 0\n/)
    file.text = failing
    // Without `node --test`, as under other test runners, the error contains all lines.
    const plain = run(['--test-reporter=tap'])
    assert.match(plain, /not ok 1 - within a test\n[^]*Cannot accept the authorization of the app\n.*GET \/tasks/)
    assert.doesNotMatch(plain, /Subtest: GET/)
  })
})
