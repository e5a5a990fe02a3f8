/** Responses of `verbena dev` in place of the app, because the saved code does not start, or has ended. */
import { Buffer } from 'node:buffer'
import { stripVTControlCharacters } from 'node:util'
import type { checkVisitor } from '../../devconsole/serve/check-visitor.js'
import { UNIX } from '../../http/exchange.js'
import { TrustedProxies } from '../../http/forwarded.js'
import { Secrets } from '../../secrets/secrets.js'
import type { ChildConnection } from './app-process.js'

/** First byte of a TLS handshake (RFC 8446 section 5.1). */
const HANDSHAKE = 22
/** Requests of the console of the earlier code, which keeps running. */
const OF_CONSOLE = /^GET \/__dev__[/? ]/

type CheckVisitor = typeof checkVisitor
type PageClient = Parameters<CheckVisitor>[0]

/** The settings of a console without options: only this machine, without proxies. */
const SETTINGS = { proxies: new TrustedProxies([]), allows: (): boolean => false, allowedHosts: new Set<string>() }

/** Loads the rules of the console; `null` if it was deleted from the package. */
export async function loadRules(): Promise<CheckVisitor | null> {
  try {
    /* c8 ignore next -- the test runner adds a branch around an import */
    return (await import('../../devconsole/serve/mount.js')).checkVisitor
    /* c8 ignore next 3 -- tests load the source, which has a console */
  } catch {
    return null
  }
}

export function isOfConsole(bytes: Buffer): boolean {
  return OF_CONSOLE.test(bytes.toString('latin1'))
}

/** Whether a browser requests a page and may see an error, by the first bytes of a connection. The console has the same rules. */
export function maySeeError({ socket, bytes }: ChildConnection, check: CheckVisitor): boolean {
  const visitor = readPageRequest(bytes, socket.remoteAddress ?? UNIX)
  return visitor !== null && check(visitor, [], true, SETTINGS) === null
}

/** Returns `null` for a part of a head, and for HTTP/1.0, which indicates a proxy. */
function readPageRequest(bytes: Buffer, ip: string): PageClient | null {
  const text = bytes.toString('latin1')
  const head = text.slice(0, text.indexOf('\r\n\r\n') + 2)
  const isPage = /\r\nsec-fetch-mode: *navigate\r\n/i.test(head) || /\r\naccept: *text\/html/i.test(head)
  if (!isPage || !/^GET \S+ HTTP\/1\.1\r\n/.test(head) || OF_CONSOLE.test(head)) return null
  const [, ...fields] = head.split('\r\n').slice(0, -1)
  const rawHeaders = fields.flatMap((field) => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon), field.slice(colon + 1).trim()]
  })
  return { method: 'GET', ip, minorVersion: 1, rawHeaders, header: () => undefined }
}

/** Whether a connection is encrypted, so that it has no response. */
export function isEncrypted(bytes: Buffer): boolean {
  return bytes[0] === HANDSHAKE
}

/** A page with an error, without the secrets that the log hides. It reloads itself until the app responds. */
export function errorPage(title: string, output: string): string {
  const hidden = new Secrets().hide(stripVTControlCharacters(output))
  const text = hidden.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
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
