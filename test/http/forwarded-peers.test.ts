import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { forwardedPeers, listedPeers, type Peer } from '#src/http/forwarded-peers.js'

type Row = readonly [about: string, text: string, hops: readonly Peer[]]

const FORWARDED: readonly Row[] = [
  ['an address', 'for=192.0.2.60', ['192.0.2.60']],
  ['the last first', 'for=192.0.2.43, for=198.51.100.17', ['198.51.100.17', '192.0.2.43']],
  ['no spaces', 'for=192.0.2.43,for=198.51.100.17', ['198.51.100.17', '192.0.2.43']],
  ['names in any case', 'For="[2001:db8:cafe::17]:4711"', ['2001:db8:cafe::17']],
  ['other parameters around it', 'proto=http;for=192.0.2.60;by=203.0.113.43', ['192.0.2.60']],
  ['spaces around parameters', ' proto=http ; for=192.0.2.60 ; by=203.0.113.43 ', ['192.0.2.60']],
  ['a quoted address', 'for="192.0.2.60"', ['192.0.2.60']],
  ['a port', 'for="192.0.2.60:80"', ['192.0.2.60']],
  ['a port outside of quotes, as some write it', 'for=192.0.2.60:5000', ['192.0.2.60']],
  ['a hidden port', 'for="192.0.2.60:_a-b.c"', ['192.0.2.60']],
  ['an escaped character', 'for="192\\.0.2.60"', ['192.0.2.60']],
  ['separators in quotes', 'for=192.0.2.60;host="a,b;for=6.6.6.6"', ['192.0.2.60']],
  ['quotes in quotes', 'for=192.0.2.60;host="a\\", for=6.6.6.6;x=\\""', ['192.0.2.60']],
  ['a backslash before the end of quotes', 'for=192.0.2.60;host="\\\\", for=192.0.2.1', ['192.0.2.1', '192.0.2.60']],
  ['unknown', 'for=unknown', [undefined]],
  ['a hidden name', 'for=_gazonk', [undefined]],
  ['a hidden name with a port', 'for="_gazonk:80"', [undefined]],
  ['an element that does not say for', 'for=192.0.2.1, by=203.0.113.43;proto=https', [undefined, '192.0.2.1']],
  ['an empty field', '', [undefined]],
  ['an empty element', 'for=192.0.2.1,', [undefined, '192.0.2.1']],
  ['for twice', 'for=192.0.2.1;for=192.0.2.2', [undefined]],
  ['a longer name', 'xfor=192.0.2.1', [undefined]],
  ['a name without a value', 'for', [undefined]],
  ['an empty value', 'for=', [undefined]],
  ['a lone quote', 'for="', [undefined]],
  ['text behind quotes', 'for="192.0.2.1"x', [undefined]],
  ['a quote that opens nothing', 'for=192.0.2.1"', [undefined]],
  ['an address of the sixth version without brackets', 'for="2001:db8::1"', [undefined]],
  ['brackets around the fourth version', 'for="[192.0.2.1]"', [undefined]],
  ['brackets that do not close', 'for="[2001:db8::1"', [undefined]],
  ['an address that is none', 'for=192.0.2.256', [undefined]],
  ['an address that is none, in brackets', 'for="[2001:db8::1::]"', [undefined]],
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
  ['an address of the fourth version as one of the sixth', '::ffff:192.0.2.1', ['::ffff:192.0.2.1']],
  ['unknown', 'unknown', [undefined]],
  ['a hidden name', '_hidden', [undefined]],
  ['an empty field', '', [undefined]],
  ['an empty entry', '192.0.2.1, ', [undefined, '192.0.2.1']],
  ['an address with rubbish', '192.0.2.1x', [undefined]],
  ['a zone', 'fe80::1%eth0', [undefined]],
  ['what Forwarded would say', 'for=192.0.2.1', [undefined]],
]

/** Everything that the grammar and those who break it use. */
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

    it('never throws, and gives addresses or nothing', () => {
      fc.assert(
        fc.property(fc.oneof(scribble, fc.string()), (text) => {
          for (const hop of read(text)) assert.ok(hop === undefined || isIP(hop) > 0, hop)
        }),
      )
    })

    // What takes the square of half a million steps is not done in time.
    for (const piece of ['\\', '"', '\\"', ',', 'for=";', '1.', ' ']) {
      it(`takes time in proportion to the length: ${piece}`, () => {
        for (const text of [piece.repeat(500_000), `for="[${piece.repeat(500_000)}"`]) {
          for (const hop of read(text)) assert.equal(hop, undefined)
        }
      })
    }
  })
}

describe('what a proxy adds', () => {
  it('is understood whatever the client sent before it', () => {
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
