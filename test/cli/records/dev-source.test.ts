/** Finding `verbena dev`: none, several, another version, and a socket that sends something else. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { prepareRunFolder, socketPath, writeAddress } from '#src/cli/dev/run-folder.js'
import type { CommandResult } from '#test/command-line.js'
import { createDirectory } from '#test/temp-directory.js'
import { createShown, inRuntime, openState, plainVerbena as verbena } from '#test/dev-state.js'

/** Opens a socket that sends the same string to every client. */
async function openAnswer(
  t: TestContext,
  answer: string,
): Promise<(...args: readonly string[]) => Promise<CommandResult>> {
  const [runtime, folder] = [createDirectory({}), createDirectory({})]
  const path = inRuntime(runtime, prepareRunFolder)
  writeAddress(path, folder, { pid: process.pid, token: 'a', file: 'app.ts' })
  const server = createServer((socket) => socket.on('error', () => {}).end(answer))
  await new Promise<void>((resolve) => server.listen(socketPath(path, folder, process.pid), resolve))
  t.after(() => server.close())
  return (...args) => verbena(args, { cwd: folder, env: { XDG_RUNTIME_DIR: runtime } })
}

describe('finding verbena dev', { concurrency: true }, () => {
  it('names the command that starts it if none runs', async () => {
    const cwd = createDirectory({})
    const env = { XDG_RUNTIME_DIR: createDirectory({}) }
    const { code, err } = await verbena(['last'], { cwd, env })
    assert.deepEqual([code, err], [2, 'No "verbena dev" runs in this folder. Start it with "npx verbena dev <file>"\n'])
    const other = await verbena(['last', '--pid', '1'], { cwd, env })
    assert.deepEqual([other.code, other.err], [code, err])
  })

  it('lists several, of which "--pid" chooses one', async (t) => {
    const dev = await openState(t, { records: [createShown()] })
    const own = `${process.pid} (src/server.ts)`
    assert.equal((await dev.verbena('requests', '--pid', String(process.pid))).code, 0)
    const none = await dev.verbena('requests', '--pid', '1')
    assert.match(
      none.err,
      new RegExp(String.raw`^No "verbena dev" runs in this folder with process id 1, only ${process.pid} \(src`),
    )
    dev.addAddress({ pid: process.ppid, token: 'b', file: 'src/admin.ts' })
    const { code, err } = await dev.verbena('requests')
    assert.equal(code, 2)
    assert.ok(err.startsWith('Several "verbena dev" run in this folder: '), err)
    assert.ok(err.includes(own) && err.includes(`${process.ppid} (src/admin.ts)`), err)
    const gone = await dev.verbena('requests', '--pid', String(process.ppid))
    assert.match(gone.err, /^Cannot read "verbena dev": connect ENOENT .*\. Start it with/)
  })

  it('reports a folder that other users can use', async () => {
    const env = { XDG_RUNTIME_DIR: createDirectory({ 'verbena/a.json': '' }) }
    const { code, err } = await verbena(['last'], { cwd: createDirectory({}), env })
    assert.equal(code, 2)
    assert.match(err, /^Cannot read "verbena dev": other users have access to/)
  })

  const ANSWERS: readonly (readonly [about: string, answer: string, message: RegExp])[] = [
    ['another version', '{"v":2}\n', /it is another version of Verbena\. Start it again/],
    ['a list', '[]\n', /it is another version of Verbena/],
    ['half an answer', '{"v":1', /its answer is incomplete/],
    ['no answer', '', /its answer is incomplete/],
  ]

  for (const [about, answer, message] of ANSWERS) {
    it(`reports ${about}`, async (t) => {
      const run = await openAnswer(t, answer)
      const { code, err } = await run('requests')
      assert.equal(code, 2)
      assert.match(err, message)
    })
  }

  it('reports a state that is too long', async (t) => {
    const run = await openAnswer(t, 'x'.repeat(33 * 1024 * 1024))
    assert.match((await run('requests')).err, /its answer is too long/)
  })
})
