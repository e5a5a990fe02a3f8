/** Sends the return value of a method to a client. */
import { Route, type Schema } from 'verbena'
import { captureLog, createUntypedApp, sendRequest } from '#test/apps.js'

/** Sends a request to an endpoint that returns `value`; returns its response and its log. */
export async function sendReturned(returns: unknown, value: unknown, options: object = {}) {
  class Home extends Route {
    // Proof: every row has a valid value of `returns`; the compiler cannot check a union of them.
    static readonly get = this.contract({ returns: returns as Schema })
    get() {
      return value
    }
  }
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes: { Home }, logger, ...options })
  const { status, text } = await sendRequest(app, '/home')
  const log = lines.filter(({ level }) => level === 'error').map(({ fields }) => String(Object(fields['err']).message))
  return { app, status, text, lines, log }
}
