import assert from 'node:assert/strict'
import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { joinChunks } from '#src/http/join-chunks.js'

function joining(): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  joinChunks(request)
  return request
}

const one = (text: string): Buffer => Buffer.from(text)

describe('joinChunks()', () => {
  it('hands the chunks of one turn on as one', async () => {
    const request = joining()
    const chunks: string[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
    for (const text of ['a', 'b', 'c']) request.push(one(text))
    assert.deepEqual(chunks, [])
    await new Promise(setImmediate)
    request.push(one('d'))
    await new Promise(setImmediate)
    assert.deepEqual(chunks, ['abc', 'd'])
  })

  it('hands on what it has before the end', async () => {
    const request = joining()
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.push(one('a'))
    request.push(one('b'))
    request.push(null)
    await once(request, 'end')
    assert.equal(text, 'ab')
  })

  it('ends a body without chunks', async () => {
    const request = joining().resume()
    request.push(null)
    await once(request, 'end')
  })

  it('asks for no more once the high-water mark is reached, what it has yet to hand on included', () => {
    const request = joining()
    const half = Buffer.alloc(request.readableHighWaterMark / 2)
    assert.equal(request.push(half), true)
    assert.equal(request.push(half), false)
  })

  it('drops what it has when the request is gone', async () => {
    const request = joining()
    request.push(one('a'))
    request.destroy()
    await once(request, 'close')
    assert.equal(request.readableLength, 0)
  })
})
