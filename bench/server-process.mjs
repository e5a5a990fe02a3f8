/** One server process on a core of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SERVE = fileURLToPath(new URL('serve.mjs', import.meta.url))

/**
 * Starts a server.
 *
 * @param {object} options
 * @param {string} options.node binary
 * @param {string[]} [options.flags] for node
 * @param {{ module: string, env?: object }} options.server
 * @param {string} options.app which of its apps
 * @param {number} options.core it is pinned to
 * @returns its address, `read` for its clocks, and `stop`
 */
export async function startServer({ node, flags = [], server, app, core }) {
  const args = ['-c', String(core), node, ...flags, SERVE, server.module, app]
  const child = spawn('taskset', args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...server.env },
  })
  const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The server ended with code ${code}`)))
  gone.catch(() => {})
  const message = async () => (await Promise.race([once(child, 'message'), gone]))[0]
  const { port } = await message()
  return {
    url: `http://127.0.0.1:${port}`,
    read() {
      child.send('read')
      return message()
    },
    async stop() {
      if (child.connected) child.disconnect()
      await gone.catch(() => {})
    },
  }
}

/** Starts a server, does something with it and stops it, whatever happens. */
export async function withServer(options, act) {
  const server = await startServer(options)
  try {
    return await act(server)
  } finally {
    await server.stop()
  }
}
