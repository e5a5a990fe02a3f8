/** The preload of apps that `verbena dev` starts. `dev-loop.test.ts` tests its hand-over of connections. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createDirectory } from '#test/temp-directory.js'

const PRELOAD = pathToFileURL('src/cli/dev/preload.ts').href

describe('preload', { timeout: 60_000 }, () => {
  it('ends an app whose parent ends before the app has started', async () => {
    const folder = createDirectory({ 'app.js': `console.log('started')\nsetInterval(() => {}, 1000)` })
    const app = spawn(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), `--import=${PRELOAD}`, join(folder, 'app.js')],
      { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
    )
    let output = ''
    app.stdout?.on('data', (chunk: Buffer) => (output += String(chunk)))
    app.disconnect()
    // A child does not emit `close` if this process disconnects.
    assert.deepEqual(await once(app, 'exit'), [1, null])
    assert.equal(output, '')
  })
})
