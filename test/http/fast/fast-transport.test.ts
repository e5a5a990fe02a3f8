import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ResponseMessage } from '#src/http/exchange.js'
import { Client, formatRequest, withServer } from '#test/wire.js'

const text = (data: string) => ({ type: 'text/plain; charset=utf-8', data })
const NONE: ResponseMessage['headers'] = new Map()

const ANSWERS: readonly (readonly [title: string, answer: ResponseMessage])[] = [
  ['lines of Verbena', { status: 200, headers: NONE, payload: text('a'), lines: ['x-a', '1', 'x-b', '2'] }],
  ['lines, and a non-ASCII string', { status: 200, headers: NONE, payload: text('ä'), lines: ['x-a', '1'] }],
  ['a header and a non-ASCII string', { status: 200, headers: new Map([['x-a', 'é']]), payload: text('ä') }],
  ['headers and lines', { status: 404, headers: new Map([['x-a', '1']]), payload: text('ä'), lines: ['x-b', '2'] }],
  ['cookies', { status: 200, headers: new Map([['set-cookie', 'a=1\nb=2']]), payload: text('a') }],
  ['a custom type', { status: 200, headers: new Map([['content-type', 'a/b']]), payload: text('a') }],
  ['a custom length', { status: 200, headers: new Map([['content-length', '7']]), payload: text('a') }],
  [
    'a custom X-Content-Type-Options',
    { status: 200, headers: new Map([['x-content-type-options', 'a']]), payload: text('a') },
  ],
  ['no type', { status: 200, headers: NONE, payload: { type: undefined, data: 'a' } }],
  ['an empty string', { status: 200, headers: NONE, payload: text('') }],
  ['a large string', { status: 200, headers: NONE, payload: text('ä'.repeat(300_000)) }],
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
    it(`sends the same bytes as Node for ${title}`, async () => {
      const documented = await sent(answer, false)
      assert.equal(await sent(answer, true), documented)
      assert.match(documented, /^HTTP\/1\.1 (?:200|404) [^]*HTTP\/1\.1 400 /)
    })
  }

  it('throws like Node for an invalid header', async () => {
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
