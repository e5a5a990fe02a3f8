/** Processes that `verbena agent` starts for its tools. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runAppCommand } from '#src/cli/agent/app-tools.js'
import { createDirectory } from '#test/temp-directory.js'

/** Runs a program in place of the command. The function reads `process` before it waits. */
function runProgram(
  program: string,
  options: { readonly timeout?: number; readonly signal?: AbortSignal; readonly execArgv?: string[] } = {},
): Promise<string> {
  const { argv, execArgv } = process
  process.argv = [String(argv[0]), join(createDirectory({ 'program.cjs': program }), 'program.cjs'), 'agent']
  process.execArgv = options.execArgv ?? []
  try {
    return runAppCommand(['check', 'app.js'], { signal: options.signal ?? AbortSignal.any([]) }, options.timeout)
  } finally {
    Object.assign(process, { argv, execArgv })
  }
}

describe('runAppCommand()', () => {
  it('returns the output of a command, also of one with findings', async () => {
    assert.equal(await runProgram('console.log(process.argv.slice(2).join(" "))'), 'check app.js')
    assert.equal(await runProgram('console.log("found\\n"); process.exitCode = 1'), 'found')
  })

  it('closes its input, and opens no inspector', async () => {
    const program = 'process.stdin.resume().on("end", () => console.log(JSON.stringify(process.execArgv)))'
    assert.equal(await runProgram(program, { execArgv: ['--inspect=0', '--no-warnings'] }), '["--no-warnings"]')
  })

  it('rejects with the messages of a command that fails, without secrets and control characters', async () => {
    const program = 'console.error("\\u001b[31mBroken\\u0007 password=hunter2"); process.exitCode = '
    for (const code of [1, 2]) {
      await assert.rejects(runProgram(`${program}${code}`), ({ message }: Error) => {
        assert.match(
          message,
          /^Cannot run "verbena check": it has failed\n\n```text\n\\u\{1b\}\[31mBroken\\u\{7\} password=[^\n]*\n```$/,
        )
        assert.doesNotMatch(message, /hunter2/)
        return true
      })
    }
    await assert.rejects(runProgram('console.error("a".repeat(9000)); process.exitCode = 2'), /text\na{4000}\n/)
    await assert.rejects(runProgram(''), /it has failed/)
  })

  it('ends a command that never ends', async () => {
    await assert.rejects(
      runProgram('for (;;);', { timeout: 300 }),
      /^Error: Cannot run "verbena check": it was ended after 0\.3 s, or after 8 MB of output$/,
    )
    const client = new AbortController()
    const run = runProgram('for (;;);', { signal: client.signal })
    client.abort()
    await assert.rejects(run, /^Error: Cannot run "verbena check"/)
  })
})
