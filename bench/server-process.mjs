/** A server process on its own core. */
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
 * @param {string} options.app one of its apps
 * @param {number} options.core for the process
 * @returns its URL, `read` for its clocks, and `stop`
 */
export async function startServer({ node, flags = [], server, app, core }) {
  const args = [...flags, SERVE, server.module, app]
  const { said, ...started } = await startProcess(node, args, { core, env: server.env })
  return { url: `http://127.0.0.1:${said.port}`, ...started }
}

/**
 * Starts a process that sends a message when it is ready, and a reading for each message.
 *
 * @param {string} node binary
 * @param {string[]} args arguments
 * @param {{ core: number, env?: object }} place the core, and additional environment variables
 * @returns its first message as `said`, `read` for its reply to a message, and `stop`
 */
export async function startProcess(node, args, { core, env }) {
  const child = spawn('taskset', ['-c', String(core), node, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The server ended with code ${code}`)))
  gone.catch(() => {})
  const nextMessage = async () => (await Promise.race([once(child, 'message'), gone]))[0]
  return {
    said: await nextMessage(),
    read(message = 'read') {
      child.send(message)
      return nextMessage()
    },
    async stop() {
      if (child.connected) child.disconnect()
      await gone.catch(() => {})
    },
  }
}

/** Starts a server, runs the function with it, and always stops it. */
export async function withServer(options, act) {
  const server = await startServer(options)
  try {
    return await act(server)
  } finally {
    await server.stop()
  }
}
