/** `verbena logs`: recorded lines, and new ones. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLine, openState } from '#test/dev-state.js'

const LINES = [
  createLine({ seq: 3, level: 'error', message: 'failed\nhere', request: 'r_1' }),
  createLine({ seq: 2, level: 'warn', fields: { shelf: 3 } }),
  createLine({ seq: 1, level: 'fatal\u001B[2J' }),
]

describe('verbena logs', { concurrency: true }, () => {
  it('prints the lines, newest last', async (t) => {
    const dev = await openState(t, { lines: LINES })
    const { code, out } = await dev.verbena('logs')
    assert.equal(code, 0)
    const time = String.raw`\d\d:\d\d:\d\d`
    assert.match(
      out,
      new RegExp(
        String.raw`^${time}  fatal\\u\{1b\}\[2J  hello\n${time}  warn  hello  \{"shelf":3\}\n${time}  error  failed ⏎ here  r_1\n$`,
      ),
    )
    const json = JSON.parse((await dev.verbena('logs', '--json')).out)
    assert.deepEqual(
      json.map(({ seq, run }: { seq: number; run: number }) => [seq, run]),
      [
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    )
    const empty = await openState(t)
    assert.equal((await empty.verbena('logs')).out, 'No log line is recorded\n')
  })

  it('prints new lines as JSON until verbena dev ends', async (t) => {
    const { server, verbena } = await openState(t, { lines: [createLine()] })
    const following = verbena('logs', '-f', '--json')
    // The command follows the log some time after its start.
    const sending = setInterval(() => {
      if (server.send(createLine({ message: 'new' })) > 0) server.close()
    }, 50)
    t.after(() => clearInterval(sending))
    const { code, out } = await following
    assert.equal(code, 0)
    const [first, second] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).message)
    assert.deepEqual([first, second], ['hello', 'new'])
  })
})
