/** Injections into answers: fields, cookies, events, locations made of text that means more than it should. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { events, redirect, reply, Route, type Context } from 'verbena'
import * as z from 'zod'
import { actRoute, Alive, assertSilent, type Act, type ActRow, type Acts } from '#test/acts.js'
import { createUntypedApp } from '#test/apps.js'
import { sendStrictly, assertAlive, rowBytes, exchange, formatTitle, type Rule } from '#test/rows.js'

const SPLIT = 'RFC 9112 §11.1: response splitting'
const VALUE = 'RFC 9110 §5.5'
const NAME = 'RFC 9110 §5.1'
const COOKIE = 'RFC 6265 §4.1.1'

function field(what: string, source: string, act: Act): ActRow {
  return { rule: `writes no field with ${what}`, source, act }
}

function cookie(what: string, source: string, act: Act): ActRow {
  return { rule: `writes no cookie with ${what}`, source, act }
}

/** Fields that would break out of their place; each is a 500. */
const INJECTED: Acts = {
  header: field('a line end', SPLIT, ({ response }) => response.header('x-a', 'a\r\nSet-Cookie: a=b')),
  'header-lf': field('a line feed', SPLIT, ({ response }) => response.header('x-a', 'a\nSet-Cookie: a=b')),
  'header-cr': field('a carriage return', SPLIT, ({ response }) => response.header('x-a', 'a\rb')),
  'header-nul': field('NUL', VALUE, ({ response }) => response.header('x-a', 'a\0b')),
  'header-wide': field('characters cut to line ends', 'CVE-2018-12116: cut to Latin-1', ({ response }) =>
    response.header('x-a', 'a\u{10d}\u{10a}b'),
  ),
  'header-name': field('a space in its name', NAME, ({ response }) => response.header('x a', 'b')),
  'header-name-crlf': field('a line end in its name', SPLIT, ({ response }) => response.header('x\r\ny', 'b')),
  append: field('a line end in what is appended', SPLIT, ({ response }) => response.append('vary', 'a\r\nb: c')),
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
  'cookie-age': cookie('an age that is no number', COOKIE, ({ response }) =>
    response.cookie('a', 'b', { maxAge: Number.NaN }),
  ),
  'location-half': field('a location of half a character', 'RFC 3986 §2.5', () => redirect('/\ud800')),
}

interface EventRow extends Rule {
  readonly event: object
}

const BREAKS_OUT = 'WHATWG HTML §9.2.6: a line end ends a field, two an event'

/** Events that would break out, or would be none; the stream breaks off. */
const EVENTS: Readonly<Record<string, EventRow>> = {
  id: { rule: 'writes no id with a line feed', source: BREAKS_OUT, event: { data: 'a', id: '1\ndata: x' } },
  'id-cr': { rule: 'writes no id with a carriage return', source: BREAKS_OUT, event: { data: 'a', id: '1\rdata: x' } },
  'id-nul': {
    rule: 'writes no id with NUL',
    source: 'WHATWG HTML §9.2.6: it is ignored',
    event: { data: 'a', id: '1\0' },
  },
  event: {
    rule: 'writes no name with two line feeds',
    source: BREAKS_OUT,
    event: { data: 'a', event: 'x\n\ndata: y' },
  },
  retry: {
    rule: 'writes no broken retry',
    source: 'WHATWG HTML §9.2.6: digits alone',
    event: { data: 'a', retry: 1.5 },
  },
  'retry-text': {
    rule: 'writes no retry that is a text',
    source: BREAKS_OUT,
    event: { data: 'a', retry: '1\n\ndata: x' },
  },
  none: {
    rule: 'writes no event without data',
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
    // Proof: the whole point is that it is none.
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
      assert.doesNotMatch(text, /\r\n0\r\n\r\n$/)
      assert.doesNotMatch(text, /^data: [xy]/m)
      await assertAlive(port)
    })
  }

  it(formatTitle({ rule: 'writes the data of an event as one line of JSON', source: BREAKS_OUT }), async () => {
    const [answer] = await sendStrictly(port, rowBytes({ target: '/lines' }))
    assert.equal(answer?.body.toString(), `data: ${JSON.stringify('a\r\nid: 7\rdata: x\n\nevent: y')}\n\n`)
    assert.deepEqual(answer.headers.get('cache-control'), ['no-store'])
  })

  it(
    formatTitle({ rule: 'encodes a location once, and does not repeat it in the body', source: 'RFC 9110 §10.2.2' }),
    async () => {
      const [answer] = await sendStrictly(port, rowBytes({ target: '/elsewhere' }))
      assert.deepEqual(answer?.headers.get('location'), ['/a%20b?x=%0D%0ASet-Cookie:%20a=b&y=%41&z=%C3%A4'])
      assert.equal(answer.body.length, 0)
    },
  )
})
