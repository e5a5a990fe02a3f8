/** `npm start` as a user runs it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../postgres/test/own-server.js'
import { ask, until } from './support.js'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))

it('starts the shop with one command, restarts it on SIGUSR2, and removes its files on Ctrl+C', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'scale-'))
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  t.after(() => rmSync(folder, { recursive: true }))
  // A separate process group, because Ctrl+C reaches all processes of a group.
  const child = spawn('npm', ['start'], {
    ...{ cwd: FOLDER, detached: true, env: { ...process.env, TMPDIR: folder, PORT: String(await freePort()) } },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGTERM'))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const heard = (words: RegExp): Promise<void> => until(() => words.test(said), `${words} in ${said}`)

  await heard(/kill -USR2 \d+/)
  const [url = ''] = /http:\/\/\S+/.exec(said) ?? []
  assert.equal((await ask(url, '/concerts')).status, 200)
  process.kill(Number(/kill -USR2 (\d+)/.exec(said)?.[1]), 'SIGUSR2')
  await heard(/Restarting/)

  // Ctrl+C must also work during a restart.
  const ended = once(child, 'exit')
  process.kill(-Number(child.pid), 'SIGINT')
  await ended
  await assert.rejects(ask(url, '/concerts'), { code: 'ECONNREFUSED' })
  const left = readdirSync(folder).filter((name) => name.startsWith('verbena-'))
  assert.deepEqual(left, [])
  assert.doesNotMatch(said, /died|Error/)
})
