import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { TrustedProxies, forwardedPeers, listedPeers, type Peer } from '#src/http/forwarded.js'
import { WebExchange } from '#src/http/web-exchange.js'

function from(ip: string, headers: Record<string, string> = {}): WebExchange {
  const exchange = new WebExchange(new Request('http://localhost/', { headers }), () => {})
  return Object.defineProperty(exchange, 'ip', { value: ip })
}

describe('TrustedProxies', () => {
  it('trusts only the given addresses and networks', () => {
    const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '::1'])
    const trusted = ['10.0.0.1', '10.255.255.255', '192.0.2.7', 'fd12::1', '::1', '::ffff:10.1.2.3']
    const others = ['11.0.0.1', '192.0.2.8', 'fe80::1', '::2', '::ffff:11.0.0.1', '', 'localhost', '10.0.0', '::ffff:x']
    for (const address of trusted) assert.equal(proxies.trusts(address), true, address)
    for (const address of others) assert.equal(proxies.trusts(address), false, address)
    assert.equal(proxies.isEmpty, false)
    assert.equal(new TrustedProxies([]).isEmpty, true)
    assert.equal(new TrustedProxies(['0.0.0.0/0']).trusts('203.0.113.9'), true)
    assert.equal(new TrustedProxies(['10.0.0.1/32']).trusts('10.0.0.2'), false)
    assert.equal(proxies.trusts('unix'), false)
    assert.equal(new TrustedProxies(['unix']).trusts('unix'), true)
    assert.equal(new TrustedProxies(['unix']).trusts('127.0.0.1'), false)
  })

  it('rejects values that are not an address or a network', () => {
    for (const network of [
      '',
      'localhost',
      '10.0.0',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '::/129',
      '10.0.0.0/a',
      '10.0.0.0/1.5',
    ]) {
      assert.throws(() => new TrustedProxies([network]), {
        name: 'SetupError',
        code: 'OPTION_INVALID',
        message: `Cannot use the option "trustProxy" of createApp(): it must contain IP addresses, networks or "unix" for a Unix socket, not "${network}". Write "trustProxy: ['10.0.0.0/8']"`,
      })
    }
  })

  it('finds the client behind the proxies', () => {
    const cases: readonly (readonly [rule: string, ip: string, named: string | undefined, client: string])[] = [
      ['no proxy', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
      ['nothing named', '10.0.0.1', undefined, '10.0.0.1'],
      ['empty', '10.0.0.1', '', '10.0.0.1'],
      ['one', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
      ['the client may lie to the first proxy', '10.0.0.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
      ['two proxies', '10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
      ['only proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.1'],
      ['no addresses', '10.0.0.1', 'unknown, _hidden', '10.0.0.1'],
      ['IPv6', '10.0.0.1', '2001:db8::1', '2001:db8::1'],
    ]
    const proxies = new TrustedProxies(['10.0.0.0/8'])
    for (const [rule, ip, named, client] of cases) {
      assert.equal(proxies.clientOf(from(ip, named === undefined ? {} : { 'x-forwarded-for': named })), client, rule)
    }
    assert.equal(new TrustedProxies([]).clientOf(from('10.0.0.1', { 'x-forwarded-for': '1.2.3.4' })), '10.0.0.1')
  })

  it('reads Forwarded, and X-Forwarded-For with ports and brackets', () => {
    const cases: readonly (readonly [rule: string, headers: Record<string, string>, client: string])[] = [
      ['Forwarded', { forwarded: 'for=198.51.100.1' }, '198.51.100.1'],
      ['the client may lie to the first proxy', { forwarded: 'for=1.2.3.4, for=198.51.100.1' }, '198.51.100.1'],
      ['a quote of the client', { forwarded: 'for="1.2.3.4, for="198.51.100.1"' }, '198.51.100.1'],
      ['two proxies', { forwarded: 'for=198.51.100.1, for="10.0.0.2:80"' }, '198.51.100.1'],
      ['only proxies', { forwarded: 'for=10.0.0.3, for=10.0.0.2' }, '10.0.0.1'],
      ['unknown', { forwarded: 'for=198.51.100.1, for=unknown' }, '10.0.0.1'],
      ['hidden behind a proxy', { forwarded: 'for=198.51.100.1, for=_x, for=10.0.0.2' }, '10.0.0.1'],
      ['no for', { forwarded: 'proto=https;host=a' }, '10.0.0.1'],
      ['a port', { 'x-forwarded-for': '198.51.100.1:5000' }, '198.51.100.1'],
      ['a port of a proxy', { 'x-forwarded-for': '198.51.100.1, 10.0.0.2:5000' }, '198.51.100.1'],
      ['brackets', { 'x-forwarded-for': '[2001:db8::1]:443' }, '2001:db8::1'],
    ]
    const proxies = new TrustedProxies(['10.0.0.0/8'])
    for (const [rule, headers, client] of cases) {
      assert.equal(proxies.clientOf(from('10.0.0.1', headers)), client, rule)
      assert.equal(proxies.clientOf(from('203.0.113.9', headers)), '203.0.113.9', rule)
    }
  })

  it('uses two headers only if they name the same address, because the client may have sent one of them', () => {
    const cases: readonly (readonly [forwarded: string, listed: string, client: string])[] = [
      ['for=198.51.100.1', '198.51.100.1', '198.51.100.1'],
      ['for="198.51.100.1:80", for=10.0.0.2', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
      ['for="[2001:db8::1]"', '2001:db8::1', '2001:db8::1'],
      ['for=6.6.6.6', '198.51.100.1', '10.0.0.1'],
      ['for=198.51.100.1', '6.6.6.6', '10.0.0.1'],
      ['for=unknown', '198.51.100.1', '10.0.0.1'],
      ['for=198.51.100.1', 'unknown', '10.0.0.1'],
      ['for=198.51.100.1', '', '10.0.0.1'],
      ['', '198.51.100.1', '10.0.0.1'],
      ['', '', '10.0.0.1'],
    ]
    const proxies = new TrustedProxies(['10.0.0.0/8'])
    for (const [forwarded, listed, client] of cases) {
      const headers = { forwarded, 'x-forwarded-for': listed }
      assert.equal(proxies.clientOf(from('10.0.0.1', headers)), client, `${forwarded} | ${listed}`)
    }
  })

  it('returns no address if the client is unknown and the peer is on this machine', () => {
    const nameless: readonly Record<string, string>[] = [
      { forwarded: 'for=unknown' },
      { forwarded: '' },
      { 'x-forwarded-for': 'unknown' },
      { 'x-forwarded-for': '' },
      { forwarded: 'for=127.0.0.1, for=_x' },
      { forwarded: 'for=unknown', 'x-forwarded-for': '198.51.100.1' },
      { forwarded: 'for=198.51.100.1', 'x-forwarded-for': 'unknown' },
      { forwarded: 'for=unknown', 'x-forwarded-for': 'unknown' },
      { forwarded: 'for=127.0.0.1', 'x-forwarded-for': '198.51.100.1' },
    ]
    const proxies = new TrustedProxies(['127.0.0.0/8', '::1', '10.0.0.0/8'])
    for (const headers of nameless) {
      const about = JSON.stringify(headers)
      for (const ip of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
        assert.equal(proxies.clientOf(from(ip, headers)), '', `${ip} ${about}`)
      }
      assert.equal(proxies.clientOf(from('10.0.0.1', headers)), '10.0.0.1', about)
    }
    assert.equal(proxies.clientOf(from('127.0.0.1')), '127.0.0.1')
    assert.equal(proxies.clientOf(from('::1', { 'x-forwarded-for': '127.0.0.1' })), '::1')
    assert.equal(proxies.clientOf(from('127.0.0.1', { forwarded: 'for=198.51.100.1' })), '198.51.100.1')
  })

  it('never throws, and returns a named address or the address of the peer', () => {
    const pieces = ['for=', '"', '\\', ',', ';', ' ', '6.6.6.6', '10.0.0.2', '[::1]', ':80', '_x', 'unknown']
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((chosen) => chosen.join(''))
    const proxies = new TrustedProxies(['10.0.0.0/8'])
    fc.assert(
      fc.property(fc.option(text), fc.option(text), (forwarded, listed) => {
        const headers = {
          ...(forwarded !== null && { forwarded }),
          ...(listed !== null && { 'x-forwarded-for': listed }),
        }
        const client = proxies.clientOf(from('10.0.0.1', headers))
        assert.ok(client === '10.0.0.1' || (isIP(client) > 0 && !proxies.trusts(client)), client)
      }),
    )
  })

  it('accepts a request id only from a trusted peer, and only with safe characters', () => {
    const proxies = new TrustedProxies(['10.0.0.0/8'])
    assert.equal(proxies.requestIdOf(from('10.0.0.1', { 'x-request-id': 'a-1_B.c:/+=@' })), 'a-1_B.c:/+=@')
    assert.equal(proxies.requestIdOf(from('10.0.0.1', { 'x-request-id': 'x'.repeat(128) })), 'x'.repeat(128))
    assert.equal(proxies.requestIdOf(from('203.0.113.9', { 'x-request-id': 'a' })), undefined)
    assert.equal(new TrustedProxies([]).requestIdOf(from('10.0.0.1', { 'x-request-id': 'a' })), undefined)
    assert.equal(proxies.requestIdOf(from('10.0.0.1')), undefined)
    for (const id of ['', 'a b', 'a"b', 'x'.repeat(129), '\u00e4', '<a>']) {
      assert.equal(proxies.requestIdOf(from('10.0.0.1', { 'x-request-id': id })), undefined, id)
    }
  })
})

type Row = readonly [about: string, text: string, hops: readonly Peer[]]

const FORWARDED: readonly Row[] = [
  ['an address', 'for=192.0.2.60', ['192.0.2.60']],
  ['the last address first', 'for=192.0.2.43, for=198.51.100.17', ['198.51.100.17', '192.0.2.43']],
  ['no spaces', 'for=192.0.2.43,for=198.51.100.17', ['198.51.100.17', '192.0.2.43']],
  ['names in any case', 'For="[2001:db8:cafe::17]:4711"', ['2001:db8:cafe::17']],
  ['other parameters around it', 'proto=http;for=192.0.2.60;by=203.0.113.43', ['192.0.2.60']],
  ['spaces around parameters', ' proto=http ; for=192.0.2.60 ; by=203.0.113.43 ', ['192.0.2.60']],
  ['a quoted address', 'for="192.0.2.60"', ['192.0.2.60']],
  ['a port', 'for="192.0.2.60:80"', ['192.0.2.60']],
  ['a port outside of quotes', 'for=192.0.2.60:5000', ['192.0.2.60']],
  ['a hidden port', 'for="192.0.2.60:_a-b.c"', ['192.0.2.60']],
  ['an escaped character', 'for="192\\.0.2.60"', ['192.0.2.60']],
  ['separators in quotes', 'for=192.0.2.60;host="a,b;for=6.6.6.6"', ['192.0.2.60']],
  ['quotes in quotes', 'for=192.0.2.60;host="a\\", for=6.6.6.6;x=\\""', ['192.0.2.60']],
  ['a backslash before the end of quotes', 'for=192.0.2.60;host="\\\\", for=192.0.2.1', ['192.0.2.1', '192.0.2.60']],
  ['unknown', 'for=unknown', [undefined]],
  ['a hidden name', 'for=_gazonk', [undefined]],
  ['a hidden name with a port', 'for="_gazonk:80"', [undefined]],
  ['an element without "for"', 'for=192.0.2.1, by=203.0.113.43;proto=https', [undefined, '192.0.2.1']],
  ['an empty field', '', [undefined]],
  ['an empty element', 'for=192.0.2.1,', [undefined, '192.0.2.1']],
  ['a repeated "for"', 'for=192.0.2.1;for=192.0.2.2', [undefined]],
  ['a longer name', 'xfor=192.0.2.1', [undefined]],
  ['a name without a value', 'for', [undefined]],
  ['an empty value', 'for=', [undefined]],
  ['a lone quote', 'for="', [undefined]],
  ['text after quotes', 'for="192.0.2.1"x', [undefined]],
  ['a quote that opens nothing', 'for=192.0.2.1"', [undefined]],
  ['an IPv6 address without brackets', 'for="2001:db8::1"', [undefined]],
  ['brackets around an IPv4 address', 'for="[192.0.2.1]"', [undefined]],
  ['brackets that do not close', 'for="[2001:db8::1"', [undefined]],
  ['an invalid address', 'for=192.0.2.256', [undefined]],
  ['an invalid address in brackets', 'for="[2001:db8::1::]"', [undefined]],
  ['a zone', 'for="[fe80::1%eth0]"', [undefined]],
  ['an empty port', 'for="192.0.2.1:"', [undefined]],
  ['a port of six digits', 'for="192.0.2.1:123456"', [undefined]],
  ['a host name', 'for=example.com', [undefined]],
]

const LISTED: readonly Row[] = [
  ['addresses, the last first', '192.0.2.1, 198.51.100.1,2001:db8::1', ['2001:db8::1', '198.51.100.1', '192.0.2.1']],
  ['a port', '192.0.2.1:5000', ['192.0.2.1']],
  ['brackets', '[2001:db8::1]', ['2001:db8::1']],
  ['brackets and a port', '[2001:db8::1]:443', ['2001:db8::1']],
  ['an IPv4-mapped IPv6 address', '::ffff:192.0.2.1', ['::ffff:192.0.2.1']],
  ['unknown', 'unknown', [undefined]],
  ['a hidden name', '_hidden', [undefined]],
  ['an empty field', '', [undefined]],
  ['an empty entry', '192.0.2.1, ', [undefined, '192.0.2.1']],
  ['an address with other characters', '192.0.2.1x', [undefined]],
  ['a zone', 'fe80::1%eth0', [undefined]],
  ['the syntax of Forwarded', 'for=192.0.2.1', [undefined]],
]

/** Parts of valid and invalid `Forwarded` headers. */
const PIECES = [
  'for=',
  'by=',
  '"',
  '\\',
  ',',
  ';',
  ' ',
  ':',
  '[',
  ']',
  '=',
  '_x',
  'unknown',
  '%',
  '6.6.6.6',
  '::1',
  'é',
]
const scribble = fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join(''))

for (const [name, read, rows] of [
  ['forwardedPeers()', forwardedPeers, FORWARDED],
  ['listedPeers()', listedPeers, LISTED],
] as const) {
  describe(name, () => {
    for (const [about, text, hops] of rows) {
      it(`reads ${about}`, () => assert.deepEqual([...read(text)], hops))
    }

    it('never throws, and returns only addresses or undefined', () => {
      fc.assert(
        fc.property(fc.oneof(scribble, fc.string()), (text) => {
          for (const hop of read(text)) assert.ok(hop === undefined || isIP(hop) > 0, hop)
        }),
      )
    })

    // What takes the square of half a million steps is not done in time.
    for (const piece of ['\\', '"', '\\"', ',', 'for=";', '1.', ' ']) {
      it(`takes linear time for repeated ${piece}`, () => {
        for (const text of [piece.repeat(500_000), `for="[${piece.repeat(500_000)}"`]) {
          for (const hop of read(text)) assert.equal(hop, undefined)
        }
      })
    }
  })
}

describe('address that a proxy appends', () => {
  it('is read after any header of the client', () => {
    const added = [
      ['for=203.0.113.7', '203.0.113.7'],
      ['for="[2001:db8::1]:443";proto=https', '2001:db8::1'],
      ['host="a\\"b\\\\";for="203.0.113.7:80"', '203.0.113.7'],
    ] as const
    fc.assert(
      fc.property(scribble, fc.constantFrom(...added), (sent, [element, address]) => {
        assert.equal(forwardedPeers(`${sent}, ${element}`).next().value, address)
        assert.equal(listedPeers(`${sent}, 203.0.113.7`).next().value, '203.0.113.7')
      }),
    )
  })
})
