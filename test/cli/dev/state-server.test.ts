/** The socket of `verbena dev`: answers for clients with the token, and an end for all others. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DevState } from '#src/cli/dev/dev-state.js'
import { findAddresses } from '#src/cli/dev/run-folder.js'
import { StateServer } from '#src/cli/dev/state-server.js'
import { createDirectory } from '#test/temp-directory.js'

const STATE: DevState = {
  ...{ v: 1, pid: process.pid, file: 'app.ts', isRunning: true, origins: [], runs: [], records: [], lines: [] },
  ...{ incidents: [], dropped: 0 },
}
const { XDG_RUNTIME_DIR: inherited } = process.env

interface OpenedServer {
  readonly server: StateServer
  readonly path: string
  readonly token: string
  readonly project: string
}

async function openServer(t: TestContext): Promise<OpenedServer> {
  const project = createDirectory({})
  const server = new StateServer(() => STATE)
  await server.open(project, 'app.ts')
  t.after(() => server.close())
  const [address, ...others] = findAddresses(project)
  assert.deepEqual([address?.file, others], ['app.ts', []])
  return { server, path: String(address?.socket), token: String(address?.token), project }
}

/** Sends text to the socket, and returns everything until its end. */
async function talk(path: string, ...chunks: readonly string[]): Promise<string> {
  const socket = connect(path)
  const ended = once(socket, 'close')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => {})
  for (const chunk of chunks) {
    socket.write(chunk)
    await sleep(10)
  }
  await ended
  return text
}

describe('the socket of verbena dev', () => {
  process.env['XDG_RUNTIME_DIR'] = createDirectory({})
  after(() => {
    if (inherited === undefined) delete process.env['XDG_RUNTIME_DIR']
    else process.env['XDG_RUNTIME_DIR'] = inherited
  })

  it('answers a client that knows the token, also if its question arrives in parts', async (t) => {
    const { path, token } = await openServer(t)
    const question = `${JSON.stringify({ token, ask: 'state' })}\n`
    assert.deepEqual(JSON.parse(await talk(path, question)), STATE)
    assert.deepEqual(JSON.parse(await talk(path, question.slice(0, 20), question.slice(20))), STATE)
    assert.equal(Buffer.from(token, 'base64url').length, 32)
  })

  it('is a file of the user, which is removed at the end', async (t) => {
    const { server, path, project } = await openServer(t)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    server.close()
    assert.deepEqual([existsSync(path), findAddresses(project)], [false, []])
  })

  it('sends new lines to clients that follow the log, and ends with verbena dev', async (t) => {
    const { server, path, token } = await openServer(t)
    server.send({ message: 'to nobody' })
    const following = talk(path, `${JSON.stringify({ token, ask: 'follow' })}\n`)
    await sleep(50)
    server.send({ message: 'one' })
    server.send({ message: 'two' })
    await sleep(50)
    server.close()
    assert.equal(await following, '{"message":"one"}\n{"message":"two"}\n')
  })

  it('drops lines for a client that does not read', async (t) => {
    const { server, path, token } = await openServer(t)
    const socket: Socket = connect(path)
    socket.pause().write(`${JSON.stringify({ token, ask: 'follow' })}\n`)
    await sleep(50)
    for (let count = 0; count < 100; count++) server.send({ message: 'x'.repeat(100_000) })
    let length = 0
    socket.on('data', (chunk) => (length += chunk.length))
    socket.resume()
    await sleep(300)
    socket.destroy()
    assert.ok(length > 100_000 && length < 5_000_000, String(length))
  })

  /** Questions that the server rejects. */
  const QUESTIONS: readonly (readonly [about: string, text: (token: string) => string])[] = [
    ['another token', () => JSON.stringify({ token: 'a'.repeat(43), ask: 'state' })],
    ['a token of another length', () => JSON.stringify({ token: 'a', ask: 'state' })],
    ['no token', () => JSON.stringify({ ask: 'state' })],
    ['another question', (token) => JSON.stringify({ token, ask: 'secrets' })],
    ['a list', () => '[]'],
    ['no JSON', () => 'GET / HTTP/1.1'],
    ['a long line', () => 'x'.repeat(5_000)],
  ]

  for (const [about, text] of QUESTIONS) {
    it(`ends the connection of a client with ${about}`, async (t) => {
      const { path, token } = await openServer(t)
      const line = text(token)
      assert.equal(await talk(path, line.length > 2_000 ? line : `${line}\n`), '')
    })
  }

  it('ends the connection of a client that asks nothing', { timeout: 10_000 }, async (t) => {
    const { path } = await openServer(t)
    assert.equal(await talk(path), '')
  })

  it('reports a socket that cannot be opened', async (t) => {
    const { project } = await openServer(t)
    const { XDG_RUNTIME_DIR: runtime } = process.env
    process.env['XDG_RUNTIME_DIR'] = join(project, 'none')
    t.after(() => (process.env['XDG_RUNTIME_DIR'] = runtime))
    await assert.rejects(new StateServer(() => STATE).open(project, 'app.ts'))
  })
})
