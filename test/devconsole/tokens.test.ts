import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Tokens } from '#src/devconsole/tokens.js'

const GIVEN = 'given-by-the-option'

describe('Tokens', () => {
  it('lets everybody in where nobody needs one, and opens nothing then', () => {
    const tokens = new Tokens(false, undefined)
    assert.equal(tokens.entry, null)
    assert.ok(tokens.mayEnter(undefined))
    assert.ok(!tokens.opens(''))
    assert.ok(!tokens.opens(undefined))
  })

  it('makes one of 128 bits where none is given', () => {
    const [one, other] = [new Tokens(true, undefined), new Tokens(true, undefined)]
    assert.equal(Buffer.from(one.entry ?? '', 'base64url').length, 16)
    assert.notEqual(one.entry, other.entry)
    assert.notEqual(one.action, other.action)
    assert.notEqual(one.action, one.entry)
  })

  it('lets in who has the session of its token', () => {
    const tokens = new Tokens(true, GIVEN)
    assert.ok(tokens.opens(GIVEN))
    for (const wrong of ['', `${GIVEN}x`, GIVEN.slice(1), undefined, 5, [GIVEN]]) assert.ok(!tokens.opens(wrong))
    assert.ok(tokens.mayEnter(tokens.session))
    for (const wrong of [undefined, '', GIVEN, tokens.action]) assert.ok(!tokens.mayEnter(wrong))
  })

  it('keeps sessions over a restart with the same token, and with no other', () => {
    assert.ok(new Tokens(true, GIVEN).mayEnter(new Tokens(true, GIVEN).session))
    assert.ok(!new Tokens(true, GIVEN).mayEnter(new Tokens(true, `${GIVEN}2`).session))
    assert.ok(!new Tokens(true, undefined).mayEnter(new Tokens(true, undefined).session))
  })

  it('lets act who has the token of the page', () => {
    const tokens = new Tokens(false, undefined)
    assert.ok(tokens.mayAct(tokens.action))
    for (const wrong of [undefined, '', `${tokens.action}x`]) assert.ok(!tokens.mayAct(wrong))
  })
})
