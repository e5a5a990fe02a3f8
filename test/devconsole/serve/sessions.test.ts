import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Guest, SESSION_MS, Tokens, Attempts, networkPrefix } from '#src/devconsole/serve/sessions.js'

const TOKEN = 'a-token-of-the-option'

function guestAt(host: string, client = '127.0.0.1'): Guest {
  return { host, client, isSecure: false }
}

/** The cookie that a session opened at a host is kept in. */
function cookieOf(sessions: Tokens, host: string): string {
  const { headers = [] } = sessions.signIn({ token: TOKEN }, guestAt(host))
  return String(headers[0]?.[1]).split(';', 1).join('')
}

describe('console: sign-in', () => {
  const tokens = new Tokens(TOKEN)
  const opened = () => new Tokens(TOKEN)

  it('includes the port in the cookie name, because cookies are shared between ports', (test) => {
    test.mock.method(Date, 'now', () => 0)
    const sessions = opened()
    const cookie = cookieOf(sessions, 'localhost:3000')
    assert.equal(cookie, `__dev_3000=${tokens.session(0)}`)
    assert.equal(cookieOf(opened(), '[::1]:3001'), `__dev_3001=${tokens.session(0)}`)
    assert.equal(cookieOf(opened(), '[::1]'), `__dev=${tokens.session(0)}`)
    assert.ok(sessions.timeLeftBy(cookie, 'localhost:3000') > 0)
    assert.equal(sessions.timeLeftBy(cookie, 'localhost:3001'), 0)
    assert.ok(sessions.timeLeftBy(`__dev_3001=of-another-app; ${cookie}; __dev=`, 'localhost:3000') > 0)
  })

  it('rejects the cookie of a session after 12 hours', (test) => {
    let now = 5_000
    test.mock.method(Date, 'now', () => now)
    const sessions = new Tokens(TOKEN)
    const cookie = cookieOf(sessions, 'localhost')
    now += SESSION_MS - 1
    assert.equal(sessions.timeLeftBy(cookie, 'localhost'), 1)
    now += 1
    assert.equal(sessions.timeLeftBy(cookie, 'localhost'), 0)
  })

  it('sets Secure on the cookie if the browser uses TLS', () => {
    for (const isSecure of [true, false]) {
      const { headers = [] } = opened().signIn({ token: TOKEN }, { ...guestAt('dev.example'), isSecure })
      assert.equal(headers[0]?.[1].endsWith('; Path=/__dev__; Secure'), isSecure)
    }
  })

  it('rejects a wrong token, and too many attempts of the same client', (test) => {
    let now = 0
    test.mock.method(Date, 'now', () => now)
    const sessions = new Tokens(TOKEN)
    assert.equal(sessions.signIn({ token: 'another' }, guestAt('localhost')).status, 403)
    assert.equal(sessions.signIn({ token: TOKEN }, guestAt('localhost')).status, 429)
    assert.equal(sessions.signIn({ token: TOKEN }, guestAt('localhost', '10.0.0.1')).status, 200)
    now = 1_000
    assert.equal(sessions.signIn({ token: TOKEN }, guestAt('localhost')).status, 200)
  })
})

const GIVEN = 'given-by-the-option'
const NOW = Date.UTC(2026, 0, 1)

describe('Tokens', () => {
  it('generates a token of 128 bits by default', () => {
    const [one, other] = [new Tokens(undefined), new Tokens(undefined)]
    assert.equal(Buffer.from(one.entry, 'base64url').length, 16)
    assert.notEqual(one.entry, other.entry)
    assert.notEqual(one.action, other.action)
    assert.notEqual(one.action, one.entry)
  })

  it('accepts only the token', () => {
    const tokens = new Tokens(GIVEN)
    assert.ok(tokens.opens(GIVEN))
    for (const wrong of ['', `${GIVEN}x`, GIVEN.slice(1), undefined, 5, [GIVEN]]) assert.ok(!tokens.opens(wrong))
  })

  it('ends a session after 12 hours', () => {
    const tokens = new Tokens(GIVEN)
    const session = tokens.session(NOW)
    assert.equal(SESSION_MS, 12 * 3_600_000)
    for (const [after, left] of [
      [0, SESSION_MS],
      [SESSION_MS - 1, 1],
      [SESSION_MS, 0],
      [SESSION_MS * 1000, 0],
      [-60_000, SESSION_MS + 60_000],
      [-60_001, 0],
    ] as const) {
      assert.equal(tokens.timeLeft(session, NOW + after), left, String(after))
    }
  })

  it('rejects forged sessions and sessions with a changed start time', () => {
    const tokens = new Tokens(GIVEN)
    const [begin = '', proof = ''] = tokens.session(NOW).split('.')
    const later = (NOW + 1000).toString(36)
    const wrong = [
      undefined,
      '',
      GIVEN,
      tokens.action,
      proof,
      `.${proof}`,
      `${begin}.`,
      `${later}.${proof}`,
      `0${begin}.${proof}`,
    ]
    for (const each of wrong) assert.equal(tokens.timeLeft(each, NOW), 0, each)
  })

  it('keeps sessions across restarts only with the same token', () => {
    const session = new Tokens(GIVEN).session(NOW)
    assert.ok(new Tokens(GIVEN).timeLeft(session, NOW) > 0)
    assert.equal(new Tokens(`${GIVEN}2`).timeLeft(session, NOW), 0)
    assert.equal(new Tokens(undefined).timeLeft(new Tokens(undefined).session(NOW), NOW), 0)
  })

  it('accepts only the token of the page for actions', () => {
    const tokens = new Tokens(undefined)
    assert.ok(tokens.mayAct(tokens.action))
    for (const wrong of [undefined, '', `${tokens.action}x`]) assert.ok(!tokens.mayAct(wrong))
  })
})

describe('Attempts', () => {
  it('allows one attempt per second for each client', () => {
    const attempts = new Attempts()
    assert.ok(attempts.take('10.0.0.1', 0))
    assert.ok(!attempts.take('10.0.0.1', 999))
    assert.ok(attempts.take('10.0.0.2', 999))
    assert.ok(attempts.take('10.0.0.1', 1_000))
    assert.ok(!attempts.take('10.0.0.1', 1_999))
  })

  it('does not count rejected attempts, so that a client that keeps trying is accepted after a second', () => {
    const attempts = new Attempts()
    assert.ok(attempts.take('10.0.0.1', 0))
    for (let now = 100; now < 1_000; now += 100) assert.ok(!attempts.take('10.0.0.1', now))
    assert.ok(attempts.take('10.0.0.1', 1_000))
  })

  it('allows an attempt if the clock was set back', () => {
    const attempts = new Attempts()
    assert.ok(attempts.take('10.0.0.1', 1_000_000))
    assert.ok(attempts.take('10.0.0.1', 5_000))
  })

  it('stores each client for a second, and at most 1,000 clients', () => {
    const attempts = new Attempts()
    for (let client = 0; client < 5_000; client++) attempts.take(`10.0.${client >> 8}.${client & 255}`, client / 100)
    assert.ok(attempts.size <= 1_000, String(attempts.size))
    assert.ok(!attempts.take('10.0.19.135', 50))
    attempts.take('10.1.0.1', 5_000)
    assert.equal(attempts.size, 1)
  })

  it('treats an IPv6 /64 network as one client', () => {
    const attempts = new Attempts()
    assert.ok(attempts.take('2001:db8::1', 0))
    assert.ok(!attempts.take('2001:db8:0:0:ffff::2', 0))
    assert.ok(attempts.take('2001:db8:0:1::1', 0))
  })
})

describe('networkPrefix()', () => {
  it('returns the network of an address', () => {
    for (const [address, network] of [
      ['10.0.0.1', '10.0.0.1'],
      ['::ffff:10.0.0.1', '10.0.0.1'],
      ['::1', '0:0:0:0'],
      ['2001:DB8:a:b:1:2:3:4', '2001:db8:a:b'],
      ['2001:db8::5:6:7:8:9', '2001:db8:0:5'],
      ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
      ['fe80::1%eth0', 'fe80:0:0:0'],
      ['', ''],
      ['unknown', 'unknown'],
    ] as const) {
      assert.equal(networkPrefix(address), network)
    }
  })
})
