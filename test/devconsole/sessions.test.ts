import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Sessions } from '#src/devconsole/sessions.js'
import { Tokens } from '#src/devconsole/tokens.js'

const TOKEN = 'a-token-of-the-option'

/** The cookie that a session opened at a host is kept in. */
function cookieOf(sessions: Sessions, host: string): string {
  const { fields = [] } = sessions.open({ token: TOKEN }, host)
  return String(fields[0]?.[1]).split(';', 1).join('')
}

describe('Sessions', () => {
  const tokens = new Tokens(true, TOKEN)
  const opened = () => new Sessions(tokens, () => 0)

  it('names the cookie by the port that the browser sees: cookies know none', () => {
    const sessions = opened()
    const cookie = cookieOf(sessions, 'localhost:3000')
    assert.equal(cookie, `__dev_3000=${tokens.session}`)
    assert.equal(cookieOf(opened(), '[::1]:3001'), `__dev_3001=${tokens.session}`)
    assert.equal(cookieOf(opened(), '[::1]'), `__dev=${tokens.session}`)
    assert.ok(sessions.admits(cookie, 'localhost:3000'))
    assert.ok(!sessions.admits(cookie, 'localhost:3001'))
    assert.ok(sessions.admits(`__dev_3001=of-another-app; ${cookie}; __dev=`, 'localhost:3000'))
  })

  it('opens none for another token, and none for an attempt too many', () => {
    let now = 0
    const sessions = new Sessions(tokens, () => now)
    assert.equal(sessions.open({ token: 'another' }, 'localhost').status, 403)
    assert.equal(sessions.open({ token: TOKEN }, 'localhost').status, 429)
    now = 1_000
    assert.equal(sessions.open({ token: TOKEN }, 'localhost').status, 200)
  })
})
