/** Costs of a server until its first response, in a separate process. */
import { fork } from 'node:child_process'
import { get } from 'node:http'

/**
 * Starts a server, and reads its costs after the first response.
 *
 * @param {string} file module that calls `sendReadings`
 * @param {string[]} args
 * @param {{ node: string, path: string, env?: object }} options binary, path of the request, and additional environment variables
 * @returns CPU in µs, memory in bytes
 */
export async function measureFirstResponse(file, args, { node, path, env }) {
  const child = fork(file, args, { execPath: node, env: { ...process.env, NODE_ENV: 'production', ...env } })
  const port = await waitForMessage(child)
  const status = await fetchStatus(`http://127.0.0.1:${port}${path}`)
  if (status !== 200) throw new Error(`${args.join(' ')} answers ${status}`)
  child.send('read')
  const reading = await waitForMessage(child)
  child.disconnect()
  return reading
}

function waitForMessage(child) {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
}

function fetchStatus(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => response.resume().on('end', () => resolve(response.statusCode))).on(
      'error',
      reject,
    )
  })
}
