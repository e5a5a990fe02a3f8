/** A page of the console that is open: it reads the stream of events and keeps nothing. */
import { get } from 'node:http'

/**
 * Opens one.
 *
 * @param {string} url of an app whose console is on
 * @returns {{ destroy(): void }} to close it
 */
export function openViewer(url) {
  const request = get(`${url}/__dev__/events`, (response) => {
    if (response.statusCode !== 200) throw new Error(`The console answers a page with ${response.statusCode}`)
    response.resume()
  })
  // It ends when it is closed, or with the server.
  request.on('error', () => {})
  return request
}
