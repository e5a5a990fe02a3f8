import assert from 'node:assert/strict'
import { testApp } from 'verbena/testing'
import type { HiddenTests } from '../hidden-tests.js'

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const CHUNK = Buffer.alloc(65_536)
const MAX_CHUNKS = 320

function buildForm(content: Uint8Array<ArrayBuffer>, title = 'Ada'): RequestInit {
  const body = new FormData()
  body.set('title', title)
  body.set('picture', new File([content], 'ada.png', { type: 'image/png' }))
  return { method: 'POST', body }
}

export const hidden: HiddenTests = {
  async 'accepts a picture'({ app }) {
    await using test = await testApp(app)
    const response = await test.fetch('/pictures', buildForm(PNG))
    assert.equal(response.status, 201)
    assert.deepEqual(await response.json(), { title: 'Ada', bytes: 8 })
    assert.equal((await test.fetch('/pictures', buildForm(PNG, ''))).status, 422)
  },

  async 'rejects other files'({ app }) {
    await using test = await testApp(app)
    assert.equal((await test.fetch('/pictures', buildForm(Buffer.from('a page')))).status, 415)
    assert.equal((await test.fetch('/pictures', buildForm(Buffer.concat([PNG, Buffer.alloc(1_000_000)])))).status, 413)
  },

  async 'stops reading a file that is too large'({ app }) {
    await using test = await testApp(app)
    const head = 'content-disposition: form-data; name="picture"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n'
    let chunks = 0
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(Buffer.concat([Buffer.from(`--cut\r\n${head}`), PNG])),
      pull: (stream) => (chunks++ < MAX_CHUNKS ? stream.enqueue(CHUNK) : stream.close()),
    })
    const headers = { 'content-type': 'multipart/form-data; boundary=cut' }
    const { status } = await test.fetch('/pictures', { method: 'POST', headers, body, duplex: 'half' })
    assert.ok(chunks < MAX_CHUNKS / 2, `The app read ${chunks * CHUNK.length} bytes of a file of at most 1000000`)
    assert.equal(status, 413)
  },
}
