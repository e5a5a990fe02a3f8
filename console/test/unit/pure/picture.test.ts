import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pictureType, toDataUrl } from '../../../page/pure/picture.js'

const bytesOf = (hex: string): ArrayBuffer => new Uint8Array(Buffer.from(hex, 'hex')).buffer

describe('pictureType()', () => {
  it('reads the type from the bytes, and accepts no SVG', () => {
    const types = [
      '89504e470d0a1a0a0000',
      'ffd8ffe0',
      '474946383961',
      '52494646aaaaaaaa57454250',
      '0000001c6674797061766966',
    ]
    assert.deepEqual(
      types.map((hex) => pictureType(bytesOf(hex))),
      ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
    )
    for (const text of ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'RIFFaaaaWAVE', '{}', '']) {
      assert.equal(pictureType(bytesOf(Buffer.from(text).toString('hex'))), null)
    }
    assert.equal(pictureType(new Uint8Array(2_000_001).buffer), null)
  })
})

describe('toDataUrl()', () => {
  it('encodes every byte', () => {
    assert.equal(toDataUrl(bytesOf('00ff80'), 'image/png'), 'data:image/png;base64,AP+A')
  })
})
