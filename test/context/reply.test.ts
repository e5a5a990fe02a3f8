import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redirect, reply } from 'verbena'
import { serializedReply, FullReply } from '#src/context/reply.js'
import { NO_PAYLOAD, UNSERIALIZED } from '#src/http/payload.js'

describe('reply()', () => {
  it('returns a status, a body and headers by lower-case name', () => {
    const made = reply(201, { id: '7' }, { Location: '/users/7', 'X-Total': '1' })
    assert.deepEqual([made.status, made.body, made.error], [201, { id: '7' }, undefined])
    assert.deepEqual(
      [...made.headers],
      [
        ['location', '/users/7'],
        ['x-total', '1'],
      ],
    )
  })

  it('distinguishes a missing body from null', () => {
    const [none, nothing] = [reply(200), reply(200, null)]
    assert.ok(none instanceof FullReply && nothing instanceof FullReply)
    assert.deepEqual([none.body, nothing.body], [null, null])
    assert.equal(none.payload, NO_PAYLOAD)
    assert.equal(nothing.payload, UNSERIALIZED)
    assert.deepEqual([none.isSerialized, nothing.isSerialized], [false, false])
  })

  for (const status of [200, 201, 204, 205, 304, 404, 599]) {
    it(`accepts the status ${status}`, () => assert.equal(reply(status).status, status))
  }

  for (const status of [0, 99, 100, 101, 199, 600, 999, 200.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`rejects the status ${status}`, () => {
      assert.throws(() => reply(status), { name: 'RangeError', message: /^Cannot reply with status .* 200 to 599$/ })
    })
  }

  for (const status of [204, 205, 304]) {
    it(`rejects a body with ${status}, but accepts null`, () => {
      for (const body of ['', 0, false, {}]) {
        assert.throws(() => reply(status, body), {
          name: 'TypeError',
          message: new RegExp(`status ${status} and a body`),
        })
      }
      assert.equal(reply(status, null).status, status)
    })
  }

  for (const [name, value] of [
    ['x-a', 'one\r\nx-b: two'],
    ['x-a', 'nul\0'],
    ['x-a', '€'],
    ['x a', 'space'],
    ['', 'empty'],
  ] as const) {
    it(`rejects the header ${JSON.stringify(name)}: ${JSON.stringify(value)}`, () => {
      assert.throws(() => reply(200, 'text', { [name]: value }), TypeError)
      assert.throws(() => reply(200).with({ [name]: value }), TypeError)
    })
  }
})

describe('reply().with()', () => {
  const made = reply(200, 'text', { vary: 'Accept', link: '</a>', 'set-cookie': 'a=1', etag: '"1"', 'x-a': '1' })

  const MERGES: readonly (readonly [name: string, value: string | null, merged: string | undefined])[] = [
    ['X-A', '2', '2'],
    ['x-a', null, undefined],
    ['ETag', '"2"', '"2"'],
    ['Vary', 'Origin', 'Accept, Origin'],
    ['vary', 'accept, Origin', 'Accept, Origin'],
    ['vary', null, undefined],
    ['Link', '</b>', '</a>, </b>'],
    ['Set-Cookie', 'b=2', 'a=1\nb=2'],
    ['set-cookie', null, undefined],
    ['x-new', '1', '1'],
    ['x-none', null, undefined],
  ]
  for (const [name, value, merged] of MERGES) {
    it(`merges ${name}: ${value} to "${merged}"`, () => {
      assert.equal(made.with({ [name]: value }).headers.get(name.toLowerCase()), merged)
    })
  }

  it('does not change the original reply, and copies everything else', () => {
    const other = made.with({ 'x-a': '2', vary: 'Origin' })
    assert.deepEqual([made.headers.get('x-a'), made.headers.get('vary')], ['1', 'Accept'])
    assert.deepEqual([other.status, other.body, other.headers.get('etag')], [200, 'text', '"1"'])
  })

  it('preserves the error of a failed request', () => {
    const error = new Error('failed')
    const failed = serializedReply(500, null, NO_PAYLOAD)
    failed.error = error
    assert.equal(failed.with({ 'x-a': '2' }).error, error)
    assert.equal(failed.with({}).isSerialized, true)
  })
})

describe('redirect()', () => {
  for (const status of [301, 302, 303, 307, 308] as const) {
    it(`creates a ${status} reply`, () => assert.equal(redirect('/a', status).status, status))
  }

  it('creates a 302 without a body by default', () => {
    const made = redirect('/users/7')
    assert.deepEqual([made.status, made.body, made.headers.get('location')], [302, null, '/users/7'])
  })

  const LOCATIONS: readonly (readonly [given: string, written: string])[] = [
    ['/users/7?a=1&b=2#top', '/users/7?a=1&b=2#top'],
    ['https://example.com:8080/a', 'https://example.com:8080/a'],
    ['/caf%C3%A9', '/caf%C3%A9'],
    ['/café', '/caf%C3%A9'],
    ['/🍎', '/%F0%9F%8D%8E'],
    ['/a b', '/a%20b'],
    ['/a"<>\\^`{|}', '/a%22%3C%3E%5C%5E%60%7B%7C%7D'],
    ['/a\r\nset-cookie: b=1', '/a%0D%0Aset-cookie:%20b=1'],
    ['/a\0', '/a%00'],
  ]
  for (const [given, written] of LOCATIONS) {
    it(`encodes ${JSON.stringify(given)} as ${written}`, () => {
      assert.equal(redirect(given).headers.get('location'), written)
    })
  }
})
