/** In development: one log line if a response over plain HTTP sets a `Secure` cookie, which most clients ignore without an error. */
import { resolveOrigin } from '../http/forwarded-origin.js'
import type { Call } from './call.js'

const SECURE = /;[ \t]*secure[ \t]*(?:;|$)/i
const MESSAGE =
  'Secure cookie sent over plain HTTP: most clients ignore it, except browsers and curl on localhost. ' +
  'In development, write "insecure: true" for a session, or "secure: false" for response.cookie()'

let hasWarned = false

/** Logs the first such cookie of the process, unless a trusted proxy has received the request over HTTPS. */
export function warnOfSecureCookie(call: Call): undefined {
  const { reply, exchange, app, endpoint } = call
  if (hasWarned || exchange.isSecure) return
  const cookies = reply.headers.get('set-cookie')?.split('\n') ?? []
  const secureCookie = cookies.find((cookie) => SECURE.test(cookie))
  if (secureCookie === undefined || resolveOrigin(exchange, app.proxies)?.startsWith('https:') === true) return
  hasWarned = true
  const [cookie] = secureCookie.split('=', 1)
  call.report('warn', { cookie, route: endpoint?.route }, MESSAGE)
}
