/** Responses of `verbena dev` in place of the app, because the saved code does not start, or has ended. */
import { Buffer } from 'node:buffer'
import { stripVTControlCharacters } from 'node:util'

/** First byte of a TLS handshake (RFC 8446 section 5.1). */
const HANDSHAKE = 22
/** Requests of the console of the earlier code, which keeps running. */
const OF_CONSOLE = /^GET \/__dev__[/? ]/

/** Whether a browser requests a page, by the first bytes of a connection. Pages of the console are excluded. */
export function isNavigation(bytes: Buffer): boolean {
  const head = bytes.toString('latin1')
  if (!head.startsWith('GET ') || OF_CONSOLE.test(head)) return false
  return /\r\nsec-fetch-mode: *navigate\r\n/i.test(head) || /\r\naccept: *text\/html/i.test(head)
}

/** Whether a connection is encrypted, so that it has no response. */
export function isEncrypted(bytes: Buffer): boolean {
  return bytes[0] === HANDSHAKE
}

/** A page with an error. It reloads itself until the app responds. */
export function errorPage(title: string, output: string): string {
  const text = stripVTControlCharacters(output).replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
  return response(
    'text/html; charset=utf-8',
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="2">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>body { font: 15px/1.5 system-ui; margin: 2rem } pre { font: 13px/1.5 ui-monospace, monospace; overflow-x: auto }</style>
<h1>${title}</h1>
<pre>${text}</pre>
<p>This page reloads after you fix the error and save.
</html>
`,
  )
}

/** A problem (RFC 9457) for clients other than browsers. */
export function errorProblem(title: string): string {
  const detail = `${title}. The terminal of "verbena dev" shows the error`
  const problem = { type: 'about:blank', title: 'Service Unavailable', status: 503, detail }
  return response('application/problem+json', JSON.stringify(problem))
}

function response(type: string, content: string): string {
  return [
    'HTTP/1.1 503 Service Unavailable',
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(content)}`,
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
    '',
    content,
  ].join('\r\n')
}
