/** The users example with frozen built-in objects: `node --frozen-intrinsics`. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { describe, it } from 'node:test'
import { programArguments } from '#test/repository.js'

const FLAGS = ['--frozen-intrinsics', ...programArguments('examples/users/main.ts')]

/** Both modes, because code locations of contracts are only recorded outside production. */
for (const mode of ['development', 'production']) {
  describe(`node --frozen-intrinsics, NODE_ENV=${mode}`, () => {
    it('runs the example: starts, responds, and stops', { timeout: 60_000 }, async (t) => {
      const child = spawn(process.execPath, FLAGS, {
        env: { ...process.env, NODE_ENV: mode, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      t.after(() => child.kill('SIGKILL'))
      const ended = once(child, 'exit')
      let url: string | undefined
      for await (const line of createInterface({ input: child.stdout })) {
        url = /listens on (http:\S+)/.exec(line)?.[1]
        if (url !== undefined) break
      }
      assert.ok(url !== undefined, 'The example ended before it printed its URL')
      const users = await fetch(`${url}/user-profiles`)
      assert.equal(users.status, 200)
      assert.equal(users.headers.get('content-type'), 'application/json')
      const created = await fetch(`${url}/user-profiles`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":"Lin"}',
      })
      assert.equal(created.status, 201)
      assert.equal((await fetch(`${url}/users/none`)).status, 404)
      child.kill('SIGINT')
      assert.deepEqual(await ended, [0, null])
    })
  })
}
