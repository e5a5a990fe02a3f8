import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ResponseMessage } from '#src/http/exchange.js'
import { Client, formatRequest, withServer } from '#test/wire.js'

const text = (data: string) => ({ type: 'text/plain; charset=utf-8', data })
const NONE: ResponseMessage['headers'] = new Map()

const ANSWERS: readonly (readonly [title: string, answer: ResponseMessage])[] = [
  ['lines of the framework', { status: 200, headers: NONE, payload: text('a'), lines: ['x-a', '1', 'x-b', '2'] }],
  ['lines, and a text beyond ASCII', { status: 200, headers: NONE, payload: text('ä'), lines: ['x-a', '1'] }],
  ['a field and a text beyond ASCII', { status: 200, headers: new Map([['x-a', 'é']]), payload: text('ä') }],
  ['fields and lines', { status: 404, headers: new Map([['x-a', '1']]), payload: text('ä'), lines: ['x-b', '2'] }],
  ['cookies', { status: 200, headers: new Map([['set-cookie', 'a=1\nb=2']]), payload: text('a') }],
  ['a type of its author', { status: 200, headers: new Map([['content-type', 'a/b']]), payload: text('a') }],
  ['a length of its author', { status: 200, headers: new Map([['content-length', '7']]), payload: text('a') }],
  [
    'its own field of sniffing',
    { status: 200, headers: new Map([['x-content-type-options', 'a']]), payload: text('a') },
  ],
  ['no type', { status: 200, headers: NONE, payload: { type: undefined, data: 'a' } }],
  ['an empty text', { status: 200, headers: NONE, payload: text('') }],
  ['a large text', { status: 200, headers: NONE, payload: text('ä'.repeat(300_000)) }],
]

/** What a server sends for an answer: all bytes but the date. */
async function sent(answer: ResponseMessage, fastPath: boolean): Promise<string> {
  const bytes = await withServer(
    (exchange) => exchange.send(answer, null),
    ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /', { Connection: 'keep-alive' }))
      // It is refused by a last answer.
      return client.write('\0').all()
    },
    { fastPath },
  )
  return bytes.replaceAll(/Date: [^\r]*/g, '')
}

describe('fastTransport()', () => {
  for (const [title, answer] of ANSWERS) {
    it(`sends what Node sends for ${title}`, async () => {
      const documented = await sent(answer, false)
      assert.equal(await sent(answer, true), documented)
      assert.match(documented, /^HTTP\/1\.1 (?:200|404) [^]*HTTP\/1\.1 400 /)
    })
  }

  it('fails as Node does for a field that cannot be written', async () => {
    for (const headers of [new Map([['x a', '1']]), new Map([['x-a', 'a\r\nb: c']])]) {
      for (const fastPath of [true, false]) {
        let thrown: unknown
        const serve = withServer(
          (exchange) => {
            try {
              exchange.send({ status: 200, headers, payload: text('a') }, null)
            } catch (error) {
              thrown = error
              exchange.send({ status: 500, headers: NONE, payload: text('failed') }, null)
            }
          },
          ({ port }) => new Client(port).write(formatRequest('GET /')).all(),
          { fastPath },
        )
        assert.match(await serve, /^HTTP\/1\.1 500 [^]*failed$/)
        assert.match(String(thrown), /^TypeError/)
      }
    }
  })
})
