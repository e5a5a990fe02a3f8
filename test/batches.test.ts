/** Test files that share a process: their groups, and the check for changes that a file does not restore. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createDirectory } from '#test/temp-directory.js'
import { groupTests } from '../scripts/test-groups.mjs'

const IMPORT = "import { before, describe, it, mock } from 'node:test'\n"

/** Runs files in one process. Returns the errors of failed tests and suites, without the fix at the end. */
async function runTogether(files: Readonly<Record<string, string>>): Promise<string[]> {
  const sources = Object.entries(files).map(([name, code]) => [name, IMPORT + code])
  const folder = createDirectory(Object.fromEntries(sources))
  const pairs = Object.keys(files).map((name) => [join(folder, name), join(folder, name)])
  const script = pathToFileURL(resolve('scripts/batch.mjs')).href
  const batch = join(folder, 'batch.mjs')
  writeFileSync(batch, `import { runBatch } from '${script}'\nvoid runBatch(${JSON.stringify(pairs)}, 500)\n`)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['--test-reporter=tap', batch], { env }, (_error, out, log) => resolve(out + log))
  })
  assert.match(output, /process after the last file/)
  const errors = output.matchAll(/^(?: +error: '?|(?=Ended))(.*?)'?$/gm)
  return [...errors].map(([, error = '']) => error.replaceAll(`${folder}/`, '').replace(/\. Restore it, .*/, ''))
}

describe('process of several test files', () => {
  const fine = "it('passes', () => {})"
  const CHANGES: readonly (readonly [what: string, code: string, found: string])[] = [
    ['environment', "process.env['PLANTED'] = '1'", 'process.env.PLANTED'],
    ['removed variable', 'delete process.env.PATH', 'process.env.PATH'],
    ['directory', "process.chdir('/')", 'process.cwd()'],
    ['prototype', 'Array.prototype.planted = 1', 'Array.prototype.planted'],
    ['prototype of Node', 'http.ServerResponse.prototype.end = () => {}', 'ServerResponse.prototype.end'],
    ['listener', "process.on('planted', () => {})", 'listener 1 of process "planted"'],
    ['subscriber', "subscribe('planted', () => {})", 'subscribers of channel "planted"'],
    ['store of a channel', "channel('bound').bindStore(new AsyncLocalStorage())", 'subscribers of channel "bound"'],
    ['mocked function', "mock.method(console, 'log', () => {})", 'console.log'],
    ['mocked clock', "mock.timers.enable({ apis: ['Date'] })", 'globalThis.Date'],
    ['mocked output', "mock.method(process.stderr, 'write', () => true)", 'process.stderr.write'],
  ]
  const MODULES =
    "import http from 'node:http'\nimport { channel, subscribe } from 'node:diagnostics_channel'\nimport { AsyncLocalStorage } from 'node:async_hooks'\n"

  it('fails the file that does not restore a change, and no other', async () => {
    const changes = CHANGES.map(([, code], at) => [`${at}.mjs`, `${MODULES}it('passes', () => void (${code}))`])
    const expected = CHANGES.map(([, , found], at) => `${at}.mjs changes the process: ${found}`)
    const errors = await runTogether({ ...Object.fromEntries(changes), 'fine.mjs': fine })
    assert.deepEqual(errors, expected)
  })

  it('fails a file that changes the process when it is imported, that cannot be imported, or that has hooks for all files', async () => {
    const errors = await runTogether({
      'imported.mjs': `process.env['PLANTED'] = '1'\n${fine}`,
      'broken.mjs': "throw new Error('broken')",
      'hooks.mjs': `before(() => {})\n${fine}`,
      'fine.mjs': fine,
    })
    assert.deepEqual(errors, [
      'imported.mjs changes the process: process.env.PLANTED',
      'broken',
      'hooks.mjs changes the process: a hook outside of suites',
    ])
  })

  it('ends a process that a failed test holds open', async () => {
    const open = "it('fails', () => { http.createServer().listen(0, '127.0.0.1'); throw new Error('failed') })"
    assert.deepEqual(await runTogether({ 'open.mjs': MODULES + open }), [
      'failed',
      'Ended after the last test, with TCPServerWrap still open',
    ])
  })

  it('accepts changes that a test restores, and properties that Node sets when they are first used', async () => {
    const restored = `it('passes', async () => {
      const log = mock.method(console, 'log', () => {})
      log.mock.restore()
      mock.method(performance, 'now', () => 0).mock.restore()
      mock.timers.enable({ apis: ['setTimeout', 'Date'] })
      mock.timers.reset()
      const note = () => {}
      process.on('warning', note).off('warning', note)
      await fetch('http://127.0.0.1:1').catch(() => crypto.randomUUID())
      structuredClone(new Blob([]))
    })`
    assert.deepEqual(await runTogether({ 'restored.mjs': restored, 'fine.mjs': fine }), [])
  })
})

describe('groupTests()', () => {
  const files = Array.from({ length: 40 }, (_, at) => ({ file: `test/${at}.test.ts`, source: 'x'.repeat(at + 1) }))
  const listFiles = (tests: Parameters<typeof groupTests>[0]) => groupTests(tests).map((group) => group.files)

  it('fills processes with files of all folders, with about the same size in each', () => {
    const groups = listFiles(files)
    const sizes = groups.map((group) => group.reduce((sum, file) => sum + Number(/\d+/.exec(file)) + 1, 0))
    assert.equal(groups.flat().length, 40)
    assert.equal(groups.length, 3)
    assert.ok(Math.max(...sizes) - Math.min(...sizes) < 20, String(sizes))
  })

  it('puts a file with the marker, or with another reason, into a separate group', () => {
    const source = `// own process: it changes the environment\n${'x'.repeat(1_000)}`
    const marked = { file: 'test/marked.test.ts', source }
    const unexplained = { file: 'test/unexplained.test.ts', source: '// own process:\n' }
    const alone = { file: 'test/alone.test.ts', source: '', isAlone: true }
    const groups = listFiles([...files, unexplained, marked, alone])
    assert.deepEqual(groups[0], ['test/marked.test.ts'])
    assert.deepEqual(groups.at(-1), ['test/alone.test.ts'])
    assert.equal(groups.length, 5)
  })

  it('separates files in development mode from others', () => {
    const source = "import '#test/development.js'\n"
    const development = ['a', 'b'].map((name) => ({ file: `test/${name}.test.ts`, source }))
    const groups = groupTests([...files, ...development]).filter(
      (group: { isDevelopment: boolean }) => group.isDevelopment,
    )
    assert.deepEqual(groups, [{ files: ['test/a.test.ts', 'test/b.test.ts'], isDevelopment: true }])
  })

  it('returns the group with most work first', () => {
    const slow = { file: 'test/cli/slow.test.ts', source: 'x'.repeat(1_000) }
    assert.deepEqual(listFiles([...files, slow])[0], ['test/cli/slow.test.ts'])
  })
})
