/** The console and the log show neither session cookies nor session ids. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route, type Input } from 'verbena'
import { log } from 'verbena/decorators'
import { sealedCookie, session, signedCookie, signedIn } from 'verbena/session'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { jsonLogger } from '#src/observe/loggers.js'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { read, waitForSnapshot } from '#test/console.js'
import { KEY, readCookie, setCookies, Visitor } from '#test/browser-client.js'

const kept = memorySessions()
let isDown = false
const visitor = session({
  keys: [KEY],
  // The name does not look like a credential, so redaction by name cannot find the cookie.
  cookie: { name: 'crumb' },
  store: {
    ...kept,
    get: (key) => {
      if (isDown) throw new Error('The store is down')
      return kept.get(key)
    },
  },
})
const user = signedIn(visitor, (name) => name)
const signed = signedCookie('plum', { keys: [KEY] })
const sealed = sealedCookie('pear', { keys: [KEY] })

class Signing extends Route {
  static readonly path = '/session'
  static readonly uses = { visitor, signed, sealed }
  static readonly post = this.contract({})
  @log({ args: true, result: true })
  async post({ visitor, signed, sealed }: Input<typeof Signing.post>) {
    visitor.start('ada')
    signed.set('a text')
    sealed.set('another text')
  }
}
class Me extends Route {
  static readonly uses = { user }
  static readonly get = this.contract({})
  @log({ args: true, result: true })
  async get({ user, request, log: logger }: Input<typeof Me.get>) {
    logger.info({ headers: request.headers }, 'who is it')
    if (request.url.includes('fail')) throw new Error(`Nobody has this cookie: ${request.headers['cookie']}`)
    return user
  }
}

describe('session secrets in console and log', () => {
  it('hides cookies and session ids in the log, records, request list and HAR export', async () => {
    const lines: string[] = []
    const logger = jsonLogger((text) => void lines.push(text))
    const app = createApp({ routes: { Signing, Me }, logger, devConsole: true, signals: false })
    try {
      const { url, port } = await app.listen()
      const ada = new Visitor(port)
      const marks = setCookies(await ada.ask('POST', '/session')).map((line) => readCookie(line).value)
      assert.equal((await ada.ask('GET', '/me')).status, 200)
      assert.equal((await ada.ask('GET', '/me?fail')).status, 500)
      isDown = true
      assert.equal((await ada.ask('GET', '/me')).status, 503)
      isDown = false
      marks.push(...setCookies(await ada.ask('POST', '/session')).map((line) => readCookie(line).value))
      assert.equal(marks.length, 6)
      const { requests } = await waitForSnapshot(url, 5)
      const records = await Promise.all(
        requests.map(({ id }) => read<RequestRecord>(`${url}/__dev__/api/requests/${id}`)),
      )
      const har = await (await fetch(`${url}/__dev__/api/har`)).text()
      const outputs = { log: lines.join(''), records: JSON.stringify(records), har, list: JSON.stringify(requests) }
      assert.match(outputs.log, /The store is down/)
      assert.match(outputs.records, /set-cookie/)
      for (const [name, text] of Object.entries(outputs)) {
        for (const mark of marks) {
          const id = Buffer.from(mark, 'base64url').subarray(6, 38)
          const forms = [mark, mark.slice(0, 40), id.toString('base64url').slice(0, 40), id.toString('hex')]
          // Authors are responsible for values that their handlers log.
          const shown = name === 'log' ? text.replaceAll(/^.*who is it.*$/gm, '') : text
          for (const form of forms) assert.ok(!shown.includes(form), `${name} shows ${form}`)
        }
      }
    } finally {
      await app.close()
    }
  })
})
