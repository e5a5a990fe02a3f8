/** The chat example, with clients of the package `ws`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { WebSocket } from 'ws'
import { chatApp } from '../../examples/chat/app.js'

/** Connects a guest; returns its socket and the received messages. */
async function enter(port: number, cookie: string): Promise<{ talk: WebSocket; heard: string[] }> {
  const talk = new WebSocket(`ws://127.0.0.1:${port}/rooms/blue`, { headers: { cookie } })
  const heard: string[] = []
  talk.on('message', (text: Buffer) => heard.push(String(text)))
  await once(talk, 'open')
  return { talk, heard }
}

/** Signs a guest in, and returns the cookie. */
async function cookieOf(url: string, name: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/guests`, { method: 'POST', headers, body: JSON.stringify({ name }) })
  assert.equal(answer.status, 204)
  return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
}

describe('examples/chat', () => {
  it('has no findings', () => {
    assert.deepEqual(chatApp({ logger: false, signals: false }).check(), [])
  })

  it('sends messages to all guests, and closes their connections with 1001', async () => {
    const app = chatApp({ logger: false, signals: false })
    const { url, port } = await app.listen()
    const ada = await enter(port, await cookieOf(url, 'ada'))
    const ben = await enter(port, await cookieOf(url, 'ben'))
    ada.talk.send('hello')
    await once(ben.talk, 'message')
    const room = await fetch(`${url}/rooms/blue`)
    assert.deepEqual(await room.json(), { guests: 2 })
    ben.talk.close()
    while (ada.heard.length < 4) await once(ada.talk, 'message')
    assert.deepEqual(
      ada.heard.map((text) => JSON.parse(text)),
      [
        { from: null, text: 'ada is here' },
        { from: null, text: 'ben is here' },
        { from: 'ada', text: 'hello' },
        { from: null, text: 'ben has left' },
      ],
    )
    const closed = once(ada.talk, 'close')
    await app.close()
    const [code] = await closed
    assert.equal(code, 1001)
  })

  it('rejects guests without a valid session', async () => {
    const app = chatApp({ logger: false, signals: false })
    const { port } = await app.listen()
    const [error] = await once(new WebSocket(`ws://127.0.0.1:${port}/rooms/blue`), 'error')
    assert.match(String(error), /401/)
    const cookie = '__Host-session=forged'
    const [wrong] = await once(new WebSocket(`ws://127.0.0.1:${port}/rooms/blue`, { headers: { cookie } }), 'error')
    assert.match(String(wrong), /401/)
    await app.close()
  })

  it('serves its page', async () => {
    const page = await chatApp({ logger: false }).fetch(new Request('http://localhost/'))
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  })
})
