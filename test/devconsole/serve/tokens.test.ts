import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SESSION_MS, Tokens } from '#src/devconsole/serve/tokens.js'

const GIVEN = 'given-by-the-option'
const NOW = Date.UTC(2026, 0, 1)

describe('Tokens', () => {
  it('makes one of 128 bits where none is given', () => {
    const [one, other] = [new Tokens(undefined), new Tokens(undefined)]
    assert.equal(Buffer.from(one.entry, 'base64url').length, 16)
    assert.notEqual(one.entry, other.entry)
    assert.notEqual(one.action, other.action)
    assert.notEqual(one.action, one.entry)
  })

  it('opens with the token alone', () => {
    const tokens = new Tokens(GIVEN)
    assert.ok(tokens.opens(GIVEN))
    for (const wrong of ['', `${GIVEN}x`, GIVEN.slice(1), undefined, 5, [GIVEN]]) assert.ok(!tokens.opens(wrong))
  })

  it('ends a session after twelve hours', () => {
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

  it('takes no session that it has not begun, nor one whose begin was changed', () => {
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

  it('keeps sessions over a restart with the same token, and with no other', () => {
    const session = new Tokens(GIVEN).session(NOW)
    assert.ok(new Tokens(GIVEN).timeLeft(session, NOW) > 0)
    assert.equal(new Tokens(`${GIVEN}2`).timeLeft(session, NOW), 0)
    assert.equal(new Tokens(undefined).timeLeft(new Tokens(undefined).session(NOW), NOW), 0)
  })

  it('lets act who has the token of the page', () => {
    const tokens = new Tokens(undefined)
    assert.ok(tokens.mayAct(tokens.action))
    for (const wrong of [undefined, '', `${tokens.action}x`]) assert.ok(!tokens.mayAct(wrong))
  })
})
