import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeReference, serializeLink } from '#src/http/link.js'

const LINKS: readonly (readonly [given: Parameters<typeof serializeLink>, link: string])[] = [
  [['next', '/notes?page=2', {}], '</notes?page=2>; rel="next"'],
  [['next last', 'https://example.com/a;b,c', {}], '<https://example.com/a;b,c>; rel="next last"'],
  [['https://example.com/rel', '?cursor=a', {}], '<?cursor=a>; rel="https://example.com/rel"'],
  [['self', '/größe/a b>;rel="x"', {}], '</gr%C3%B6%C3%9Fe/a%20b%3E;rel=%22x%22>; rel="self"'],
  [['self', '/a%20b\r\nset-cookie:c', {}], '</a%20b%0D%0Aset-cookie:c>; rel="self"'],
  [
    ['preload', '/a.css', { as: 'style', title: String.raw`The "a\b"`, media: undefined, type: '' }],
    String.raw`</a.css>; rel="preload"; as="style"; title="The \"a\\b\""; type=""`,
  ],
  [['next', '/b', { title: "Größe (a'b*)" }], '</b>; rel="next"; title*=UTF-8\'\'Gr%C3%B6%C3%9Fe%20%28a%27b%2A%29'],
  [['next', '/b', { title: 'a\r\nb' }], '</b>; rel="next"; title*=UTF-8\'\'a%0D%0Ab'],
]

const REFUSED: readonly (readonly [given: Parameters<typeof serializeLink>, says: RegExp])[] = [
  [['', '/', {}], /Cannot link as ""/],
  [['next"', '/', {}], /Cannot link as "next""/],
  [['next ', '/', {}], /Cannot link as "next "/],
  [['ne\r\nxt', '/', {}], /Cannot link as/],
  [['größer', '/', {}], /Cannot link as/],
  [['next', '/', { 'a b': 'c' }], /with the attribute "a b"/],
  [['next', '/', { 'title*': 'c' }], /with the attribute "title\*"/],
  [['next', '/', { Rel: 'last' }], /with the attribute "Rel"/],
  // Proof: as untyped code would pass it.
  [[5 as unknown as string, '/', {}], /Cannot link: the relation must be a string, not a number/],
  // Proof: as untyped code would pass it.
  [
    ['next', '/', { title: 5 as unknown as string }],
    /with the attribute "title": its value must be a string, not a number/,
  ],
]

describe('serializeLink()', () => {
  for (const [given, link] of LINKS) it(`writes ${link}`, () => assert.equal(serializeLink(...given), link))
  for (const [given, says] of REFUSED) {
    it(`rejects ${JSON.stringify(given)}`, () => {
      assert.throws(() => serializeLink(...given), { name: 'TypeError', message: says })
    })
  }
})

describe('encodeReference()', () => {
  it('encodes only characters that are invalid in a reference', () => {
    assert.equal(encodeReference('/a%20b?c=ü&d=[1]#e'), '/a%20b?c=%C3%BC&d=[1]#e')
    assert.equal(encodeReference('/"<>\\^`{|}'), '/%22%3C%3E%5C%5E%60%7B%7C%7D')
  })
})
