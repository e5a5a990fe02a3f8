/** An open page of the console: reads the stream of events, and stores nothing. */
import { get } from 'node:http'

/**
 * Opens a page.
 *
 * @param {string} url of an app with its console enabled
 * @returns {{ destroy(): void }} closes the page
 */
export function openViewer(url) {
  const request = get(`${url}/__dev__/events`, (response) => {
    if (response.statusCode !== 200) throw new Error(`The console answers a page with ${response.statusCode}`)
    response.resume()
  })
  // `destroy` and the end of the server are errors of the request.
  request.on('error', () => {})
  return request
}
