/** Injections into responses: headers, cookies, events and locations that contain control characters or delimiters. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { events, redirect, reply, Route, type Context } from 'verbena'
import * as z from 'zod'
import { actRoute, Alive, assertSilent, type Act, type ActRow, type Acts } from '#test/response-routes.js'
import { createUntypedApp } from '#test/apps.js'
import { sendStrictly, assertAlive, rowBytes, exchange, formatTitle, type Rule } from '#test/attack-rows.js'

const SPLIT = 'RFC 9112 §11.1: response splitting'
const VALUE = 'RFC 9110 §5.5'
const NAME = 'RFC 9110 §5.1'
const COOKIE = 'RFC 6265 §4.1.1'

function field(what: string, source: string, act: Act): ActRow {
  return { rule: `sends no header with ${what}`, source, act }
}

function cookie(what: string, source: string, act: Act): ActRow {
  return { rule: `sends no cookie with ${what}`, source, act }
}

/** Headers that would inject other headers; each is a 500. */
const INJECTED: Acts = {
  header: field('a line end', SPLIT, ({ response }) => response.header('x-a', 'a\r\nSet-Cookie: a=b')),
  'header-lf': field('a line feed', SPLIT, ({ response }) => response.header('x-a', 'a\nSet-Cookie: a=b')),
  'header-cr': field('a carriage return', SPLIT, ({ response }) => response.header('x-a', 'a\rb')),
  'header-nul': field('NUL', VALUE, ({ response }) => response.header('x-a', 'a\0b')),
  'header-wide': field(
    'characters whose low byte is a line end',
    'CVE-2018-12116: truncated to Latin-1',
    ({ response }) => response.header('x-a', 'a\u{10d}\u{10a}b'),
  ),
  'header-name': field('a space in its name', NAME, ({ response }) => response.header('x a', 'b')),
  'header-name-crlf': field('a line end in its name', SPLIT, ({ response }) => response.header('x\r\ny', 'b')),
  append: field('a line end in an appended value', SPLIT, ({ response }) => response.append('vary', 'a\r\nb: c')),
  reply: field('a line end in a reply', SPLIT, () => reply(200, 'a', { 'x-a': 'a\r\nb: c' })),
  'reply-with': field('a line end in a changed reply', SPLIT, () => reply(200, 'a').with({ 'x-a': 'a\r\nb: c' })),
  'cookie-name': cookie('an attribute in its name', COOKIE, ({ response }) => response.cookie('a=b; c', 'x')),
  'cookie-path': cookie('an attribute in its path', COOKIE, ({ response }) =>
    response.cookie('a', 'b', { path: '/; Domain=evil' }),
  ),
  'cookie-path-crlf': cookie('a line end in its path', SPLIT, ({ response }) =>
    response.cookie('a', 'b', { path: '/\r\nX: y' }),
  ),
  'cookie-domain': cookie('an attribute in its domain', COOKIE, ({ response }) =>
    response.cookie('a', 'b', { domain: 'a; Secure' }),
  ),
  'cookie-age': cookie('an age that is not a number', COOKIE, ({ response }) =>
    response.cookie('a', 'b', { maxAge: Number.NaN }),
  ),
  'location-half': field('a lone surrogate in a location', 'RFC 3986 §2.5', () => redirect('/\ud800')),
}

interface EventRow extends Rule {
  readonly event: object
}

const BREAKS_OUT = 'WHATWG HTML §9.2.6: a line end ends a field, two end an event'

/** Events that would inject fields or be ignored; the stream is interrupted. */
const EVENTS: Readonly<Record<string, EventRow>> = {
  id: { rule: 'sends no id with a line feed', source: BREAKS_OUT, event: { data: 'a', id: '1\ndata: x' } },
  'id-cr': { rule: 'sends no id with a carriage return', source: BREAKS_OUT, event: { data: 'a', id: '1\rdata: x' } },
  'id-nul': {
    rule: 'sends no id with NUL',
    source: 'WHATWG HTML §9.2.6: it is ignored',
    event: { data: 'a', id: '1\0' },
  },
  event: {
    rule: 'sends no event type with two line feeds',
    source: BREAKS_OUT,
    event: { data: 'a', event: 'x\n\ndata: y' },
  },
  retry: {
    rule: 'sends no retry that is not an integer',
    source: 'WHATWG HTML §9.2.6: only digits',
    event: { data: 'a', retry: 1.5 },
  },
  'retry-text': {
    rule: 'sends no retry that is a string',
    source: BREAKS_OUT,
    event: { data: 'a', retry: '1\n\ndata: x' },
  },
  none: {
    rule: 'sends no event without data',
    source: 'WHATWG HTML §9.2.6: it would not be dispatched',
    event: { id: '1' },
  },
}

class Injected extends Route {
  static readonly path = '/events/{name}'
  static readonly get = this.contract({ returns: events(z.unknown()) })
  async *get({ params }: Context & { readonly params: { readonly name: string } }) {
    yield { data: 'first' }
    await new Promise((resolve) => setTimeout(resolve, 20))
    // Proof: wrong on purpose; the test sends invalid events.
    yield EVENTS[params.name]?.event as { data: unknown }
  }
}

class Lines extends Route {
  static readonly get = this.contract({ returns: events(z.string()) })
  async *get() {
    yield { data: 'a\r\nid: 7\rdata: x\n\nevent: y' }
  }
}

class Elsewhere extends Route {
  get() {
    return redirect('/a b?x=\r\nSet-Cookie: a=b&y=%41&z=ä')
  }
}

describe('injections', () => {
  const routes = { Alive, Injected, Lines, Elsewhere, Injection: actRoute('/injected', INJECTED) }
  const app = createUntypedApp({ routes, signals: false })
  let port = 0
  before(async () => {
    ;({ port } = await app.listen())
  })
  after(() => app.close())

  for (const [name, row] of Object.entries(INJECTED)) {
    it(formatTitle(row), () => assertSilent(app, port, `/injected/${name}`))
  }

  for (const [name, row] of Object.entries(EVENTS)) {
    it(formatTitle(row), async () => {
      const text = (await exchange(port, rowBytes({ target: `/events/${name}` }))).toString('latin1')
      assert.match(text, /data: "first"/)
      assert.match(text, /\nevent: error\ndata: {[^\n]*"status":500[^\n]*}\n\n\r\n0\r\n\r\n$/)
      assert.doesNotMatch(text, /^data: [xy]/m)
      await assertAlive(port)
    })
  }

  it(formatTitle({ rule: 'sends the data of an event as one line of JSON', source: BREAKS_OUT }), async () => {
    const [answer] = await sendStrictly(port, rowBytes({ target: '/lines' }))
    assert.equal(answer?.body.toString(), `data: ${JSON.stringify('a\r\nid: 7\rdata: x\n\nevent: y')}\n\n`)
    assert.deepEqual(answer.headers.get('cache-control'), ['no-store, no-transform'])
  })

  it(formatTitle({ rule: 'encodes a Location once, without a body', source: 'RFC 9110 §10.2.2' }), async () => {
    const [answer] = await sendStrictly(port, rowBytes({ target: '/elsewhere' }))
    assert.deepEqual(answer?.headers.get('location'), ['/a%20b?x=%0D%0ASet-Cookie:%20a=b&y=%41&z=%C3%A4'])
    assert.equal(answer.body.length, 0)
  })
})
