import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Sessions, type Guest } from '#src/devconsole/serve/sessions.js'
import { SESSION_MS, Tokens } from '#src/devconsole/serve/tokens.js'

const TOKEN = 'a-token-of-the-option'

function guestAt(host: string, client = '127.0.0.1'): Guest {
  return { host, client, isSecure: false }
}

/** The cookie that a session opened at a host is kept in. */
function cookieOf(sessions: Sessions, host: string): string {
  const { fields = [] } = sessions.open({ token: TOKEN }, guestAt(host))
  return String(fields[0]?.[1]).split(';', 1).join('')
}

describe('Sessions', () => {
  const tokens = new Tokens(TOKEN)
  const opened = () => new Sessions(tokens, () => 0)

  it('names the cookie by the port that the browser sees: cookies know none', () => {
    const sessions = opened()
    const cookie = cookieOf(sessions, 'localhost:3000')
    assert.equal(cookie, `__dev_3000=${tokens.session(0)}`)
    assert.equal(cookieOf(opened(), '[::1]:3001'), `__dev_3001=${tokens.session(0)}`)
    assert.equal(cookieOf(opened(), '[::1]'), `__dev=${tokens.session(0)}`)
    assert.ok(sessions.timeLeft(cookie, 'localhost:3000') > 0)
    assert.equal(sessions.timeLeft(cookie, 'localhost:3001'), 0)
    assert.ok(sessions.timeLeft(`__dev_3001=of-another-app; ${cookie}; __dev=`, 'localhost:3000') > 0)
  })

  it('ends them after twelve hours', () => {
    let now = 5_000
    const sessions = new Sessions(tokens, () => now)
    const cookie = cookieOf(sessions, 'localhost')
    now += SESSION_MS - 1
    assert.equal(sessions.timeLeft(cookie, 'localhost'), 1)
    now += 1
    assert.equal(sessions.timeLeft(cookie, 'localhost'), 0)
  })

  it('keeps the cookie of a browser that speaks TLS to TLS', () => {
    for (const isSecure of [true, false]) {
      const { fields = [] } = opened().open({ token: TOKEN }, { ...guestAt('dev.example'), isSecure })
      assert.equal(fields[0]?.[1].endsWith('; Path=/__dev__; Secure'), isSecure)
    }
  })

  it('opens none for another token, and none for an attempt too many of the same client', () => {
    let now = 0
    const sessions = new Sessions(tokens, () => now)
    assert.equal(sessions.open({ token: 'another' }, guestAt('localhost')).status, 403)
    assert.equal(sessions.open({ token: TOKEN }, guestAt('localhost')).status, 429)
    assert.equal(sessions.open({ token: TOKEN }, guestAt('localhost', '10.0.0.1')).status, 200)
    now = 1_000
    assert.equal(sessions.open({ token: TOKEN }, guestAt('localhost')).status, 200)
  })
})
