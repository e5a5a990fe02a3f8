/** The program that runs tests, with the reports that it sends. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import type { TestReport } from '#src/cli/dev/test-child.js'
import { createDirectory } from '#test/temp-directory.js'

const PROGRAM = resolve('src/cli/dev/test-child.ts')

/** Runs test files, given by their names. */
async function runFiles(files: Readonly<Record<string, string>>): Promise<TestReport & { readonly folder: string }> {
  const folder = createDirectory({ 'package.json': '{"type":"module"}', ...files })
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const args = [
    `--import=${import.meta.resolve('tsx')}`,
    PROGRAM,
    ...Object.keys(files).map((name) => join(folder, name)),
  ]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const [report]: TestReport[] = await once(child, 'message')
  const [, signal] = await exited
  assert.equal(signal, null)
  return { passedCount: 0, failures: [], ...report, folder }
}

const START = `import { before, describe, it, test } from 'node:test'
import assert from 'node:assert/strict'
`

describe('test-child', { timeout: 120_000 }, () => {
  it('counts passed tests, without suites, skipped tests, and files without tests', async () => {
    const { passedCount, failures } = await runFiles({
      'a.test.js': `${START}
describe('suite', () => {
  it('one', () => {})
  it('two', async (t) => t.test('three', () => {}))
  it.skip('four', () => {})
  it.todo('five', () => assert.fail())
})
test('six', () => {})`,
      'b.test.js': `console.log('no tests')`,
    })
    assert.deepEqual([passedCount, failures], [4, []])
  })

  it('reports failed tests, and no suite because of them', async () => {
    const { passedCount, failures, folder } = await runFiles({
      'a.test.js': `${START}
describe('suite', () => {
  it('fine', () => {})
  it('wrong', () => assert.equal(1, 2))
  describe('inner', () => it('throws', () => { throw new TypeError('no user') }))
})
test('text', () => { throw 'a text' })`,
    })
    assert.equal(passedCount, 1)
    assert.deepEqual(
      failures.map(({ name, file, message }) => [name, file, message.split('\\n')[0]]),
      [
        ['wrong', join(folder, 'a.test.js'), 'Expected values to be strictly equal:\n\n1 !== 2\n'],
        ['throws', join(folder, 'a.test.js'), 'no user'],
        ['text', join(folder, 'a.test.js'), 'a text'],
      ],
    )
    assert.match(String(failures[0]?.stack), /a\.test\.js:6:/)
  })

  it('reports files that fail as a whole, with their output', async () => {
    const { failures, folder } = await runFiles({
      'a.test.js': `throw new Error('no database')`,
      'b.test.js': 'const a = 1 2',
      'c.test.js': 'process.exit(3)',
      'd.test.js': `${START}test('late', () => { setTimeout(() => { throw new Error('too late') }, 5) })`,
    })
    const found = Object.fromEntries(failures.map(({ file, message }) => [file.slice(folder.length + 1), message]))
    assert.deepEqual(Object.keys(found).toSorted(), ['a.test.js', 'b.test.js', 'c.test.js', 'd.test.js'])
    assert.ok(failures.every(({ name }) => name === ''))
    assert.match(String(found['a.test.js']), /a\.test\.js:1\n.*\n +\^\nError: no database\s*$/)
    assert.match(String(found['b.test.js']), /b\.test\.js:1\n/)
    assert.equal(found['c.test.js'], 'test failed')
    assert.match(String(found['d.test.js']), /too late/)
  })
})
