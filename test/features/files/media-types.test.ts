/** Media types of files. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isCompressible, mediaTypeFor } from '#src/features/files/media-types.js'

describe('mediaTypeFor()', () => {
  it('uses the last extension, in any case', () => {
    assert.equal(mediaTypeFor('a/index.HTML'), 'text/html; charset=utf-8')
    assert.equal(mediaTypeFor('app.min.js'), 'text/javascript; charset=utf-8')
    assert.equal(mediaTypeFor('a.tar.gz'), 'application/gzip')
    assert.equal(mediaTypeFor('a.json'), 'application/json')
  })

  it('returns application/octet-stream for unknown and missing extensions', () => {
    for (const name of ['a', 'a.', '.html', 'a.unknown', 'a.constructor']) {
      assert.equal(mediaTypeFor(name), 'application/octet-stream')
    }
  })
})

describe('isCompressible()', () => {
  it('returns true for text and uncompressed formats, and false for compressed formats', () => {
    const names = [
      'a.html',
      'a.js',
      'a.css',
      'a.txt',
      'a.json',
      'a.map',
      'a.svg',
      'a.wasm',
      'a.xml',
      'a.ttf',
      'a.otf',
      'a.ico',
      'a.glb',
    ]
    const packed = ['a.png', 'a.jpg', 'a.woff2', 'a.mp4', 'a.gz', 'a.zip', 'a.pdf', 'a.docx', 'a']
    assert.deepEqual(
      names.filter((name) => !isCompressible(mediaTypeFor(name))),
      [],
    )
    assert.deepEqual(
      packed.filter((name) => isCompressible(mediaTypeFor(name))),
      [],
    )
  })
})
