/** Files as responses of methods. */
import assert from 'node:assert/strict'
import { truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bytes, reply, Route, stream, type Middleware } from 'verbena'
import { sendFile, type SendFileOptions } from 'verbena/files'
import { invoke, testApp } from 'verbena/testing'
import * as z from 'zod'
import { sendRequest, assertSetupError, captureLog, createUntypedApp } from '#test/apps.js'
import { CHANGED, CHANGED_TEXT, createDirectory } from '#test/temp-directory.js'

const TEXT = 'abcdefghijklmnopqrstuvwxyz'
const folder = createDirectory({
  'a.txt': TEXT,
  'sub/b.js': 'let b',
  'sub/b.js.br': 'brotli',
  '.env': 'dot',
  'big.bin': 'x'.repeat(200_000),
})
const text = join(folder, 'a.txt')

/** An app whose only route answers with a file. */
function sending(make: () => unknown, options: object = {}) {
  class File extends Route {
    get() {
      return make()
    }
    post() {
      return make()
    }
  }
  return createUntypedApp({ routes: { File }, ...options })
}

const send = (options: SendFileOptions = {}, path: string | URL = text, headers: Record<string, string> = {}) =>
  sendRequest(
    sending(() => sendFile(path, options)),
    '/file',
    { headers },
  )

describe('sendFile()', () => {
  it('sends a file with its type, length, ETag and date', async () => {
    const { status, headers, text: body } = await send()
    const { etag = '', ...others } = Object.fromEntries(headers)
    assert.equal(status, 200)
    assert.equal(body, TEXT)
    assert.match(etag, /^"q-[0-9a-z]+"$/)
    assert.deepEqual(others, {
      ...{ 'accept-ranges': 'bytes', 'content-length': '26', 'content-type': 'text/plain; charset=utf-8' },
      ...{ 'last-modified': CHANGED_TEXT, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' },
    })
  })

  it('accepts a path, a file URL, or a path below a root', async () => {
    for (const [path, root] of [
      [pathToFileURL(text), undefined],
      ['a.txt', folder],
      ['a.txt', pathToFileURL(folder)],
      [text.slice(1), '/'],
    ] as const) {
      const { text: body } = await send(root === undefined ? {} : { root }, path)
      assert.equal(body, TEXT)
    }
  })

  it('responds 404 for directories, missing files, and paths outside the root', async () => {
    const paths = ['none', '../a.txt', '/etc/passwd', text, 'sub', '', '.env', 'sub/../a.txt', 'sub\\b.js', 'a.txt\0']
    for (const path of paths) {
      const { status, body } = await send({ root: join(folder) }, path)
      assert.deepEqual([status, JSON.stringify(body).includes(folder)], [404, false], path)
    }
    for (const path of [folder, join(folder, 'none')]) assert.equal((await send({}, path)).status, 404)
    assert.equal((await send({ root: join(folder, 'none') }, 'a.txt')).status, 404)
    assert.equal((await send({ root: folder, dotfiles: true }, '.env')).status, 200)
  })

  it('sends Cache-Control, Content-Type and Content-Disposition of its options', async () => {
    const { headers } = await send({ maxAge: 60_000, immutable: true, type: 'text/x-own', download: 'plain.txt' })
    assert.equal(headers.get('cache-control'), 'max-age=60, immutable')
    assert.equal(headers.get('content-type'), 'text/x-own')
    assert.equal(headers.get('content-disposition'), 'attachment; filename="plain.txt"')
    const named = await send({ download: `ä"\\';\r\n\ud800%.txt` })
    assert.equal(
      named.headers.get('content-disposition'),
      `attachment; filename="___';____.txt"; filename*=UTF-8''%C3%A4%22%5C%27%3B%0D%0A_%25.txt`,
    )
  })

  it('sends one or several ranges, and responds 416 to a range outside the file', async () => {
    const one = await send({}, text, { range: 'bytes=2-4' })
    assert.deepEqual([one.status, one.text, one.headers.get('content-range')], [206, 'cde', 'bytes 2-4/26'])
    assert.equal(one.headers.get('content-length'), '3')
    const several = await send({}, text, { range: 'bytes=0-1,-2' })
    const type = several.headers.get('content-type') ?? ''
    const [, boundary = ''] = /^multipart\/byteranges; boundary=([\w-]+)$/.exec(type) ?? []
    const part = (range: string, bytes: string) =>
      `\r\n--${boundary}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-range: bytes ${range}/26\r\n\r\n${bytes}`
    const expected = `${part('0-1', 'ab')}${part('24-25', 'yz')}\r\n--${boundary}--\r\n`
    assert.deepEqual([several.status, several.text], [206, expected])
    assert.equal(several.headers.get('content-length'), String(expected.length))
    const none = await send({ maxAge: 1000 }, text, { range: 'bytes=26-' })
    assert.deepEqual([none.status, none.headers.get('content-range')], [416, 'bytes */26'])
    assert.deepEqual([none.headers.get('cache-control'), none.headers.get('etag')], [null, null])
  })

  it('handles conditional requests, and sends a range only if If-Range matches', async () => {
    const { headers } = await send()
    const etag = headers.get('etag') ?? ''
    const same = await send({ maxAge: 1000 }, text, { 'if-none-match': etag })
    assert.deepEqual([same.status, same.headers.get('cache-control')], [304, 'max-age=1'])
    const since = await send({}, text, { 'if-modified-since': CHANGED_TEXT })
    const other = await send({}, text, { 'if-match': '"other"' })
    const range = await send({}, text, { range: 'bytes=0-0', 'if-range': etag })
    const whole = await send({}, text, { range: 'bytes=0-0', 'if-range': '"other"' })
    assert.deepEqual([since.status, other.status, range.status, whole.status], [304, 412, 206, 200])
  })

  it('sends a weak ETag if the file was changed a moment ago', async () => {
    const fresh = join(createDirectory({ 'a.txt': TEXT }), 'a.txt')
    utimesSync(fresh, new Date(), new Date())
    const { headers } = await send({}, fresh)
    assert.match(headers.get('etag') ?? '', /^W\/"/)
    utimesSync(fresh, CHANGED, CHANGED)
    const later = await send({}, fresh)
    assert.match(later.headers.get('etag') ?? '', /^"/)
  })

  it('sends the compressed file next to the original, with a different ETag', async () => {
    const script = join(folder, 'sub/b.js')
    const encoded = await send({}, script, { 'accept-encoding': 'gzip, br, zstd' })
    assert.equal(encoded.text, 'brotli')
    assert.equal(encoded.headers.get('content-encoding'), 'br')
    assert.equal(encoded.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.match(encoded.headers.get('etag') ?? '', /;br"$/)
    const plain = await send({}, script, { 'accept-encoding': 'gzip' })
    const refused = await send({}, script, { 'accept-encoding': 'identity;q=0' })
    const asked = await send({}, script, { 'accept-encoding': 'identity, br;q=0.1' })
    for (const { text: body, headers } of [plain, refused, asked]) {
      assert.deepEqual([body, headers.get('content-encoding'), headers.get('vary')], ['let b', null, 'accept-encoding'])
    }
    const bytes = await send({}, join(folder, 'big.bin'), { 'accept-encoding': 'br' })
    assert.equal(bytes.headers.get('vary'), null)
  })

  it('sends the headers of the whole file to HEAD', async () => {
    const app = sending(() => sendFile(text))
    const {
      status,
      headers,
      text: body,
    } = await sendRequest(app, '/file', { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    assert.deepEqual([status, headers.get('content-length'), body], [200, '26', ''])
  })

  it('ignores ranges and conditions of POST', async () => {
    const app = sending(() => sendFile(text))
    const { status, text: body } = await sendRequest(app, '/file', {
      method: 'POST',
      headers: { range: 'bytes=0-1', 'if-match': '"x"' },
    })
    assert.deepEqual([status, body], [200, TEXT])
  })

  it('keeps headers that the method and middleware set', async () => {
    const outer: Middleware = async (_context, next) =>
      (await next()).with({ 'content-type': 'text/own', 'x-outer': '1' })
    const app = sending(() => sendFile(text).with({ 'x-own': '1', etag: '"own"' }), { middleware: [outer] })
    const { headers } = await sendRequest(app, '/file')
    assert.deepEqual(
      ['x-own', 'x-outer', 'etag', 'content-type'].map((name) => headers.get(name)),
      ['1', '1', '"own"', 'text/own'],
    )
    const same = await sendRequest(app, '/file', { headers: { 'if-none-match': '"own"' } })
    const several = await sendRequest(app, '/file', { headers: { range: 'bytes=0-0,2-2' } })
    assert.equal(same.status, 304)
    assert.match(several.headers.get('content-type') ?? '', /^multipart\/byteranges/)
    assert.match(several.text, /content-type: text\/own/)
  })

  it('can be returned by middleware, and ignores ranges if middleware replaces the body', async () => {
    const short: Middleware = async () => sendFile(text)
    const answered = await sendRequest(
      sending(() => 'x', { middleware: [short] }),
      '/file',
    )
    assert.equal(answered.text, TEXT)
    const wrap: Middleware = async (_context, next) => {
      const { body, headers } = await next()
      const type = headers.get('content-type') ?? ''
      async function* upper() {
        for await (const chunk of body as AsyncIterable<Uint8Array>) yield String(chunk).toUpperCase()
      }
      return reply(200, upper(), { 'content-type': type })
    }
    const wrapped = await sendRequest(
      sending(() => sendFile(text), { middleware: [wrap] }),
      '/file',
      { headers: { range: 'bytes=0-1' } },
    )
    assert.deepEqual([wrapped.status, wrapped.text], [200, TEXT.toUpperCase()])
  })

  it('matches a contract that returns stream(), and violates other contracts', async () => {
    class File extends Route {
      static readonly get = this.contract({ returns: stream() })
      get() {
        return sendFile(text)
      }
      static readonly put = this.contract({ returns: { 200: stream(), 204: null } })
      async put() {
        return sendFile(text)
      }
      static readonly post = this.contract({ returns: z.any() })
      post() {
        return sendFile(text)
      }
      static readonly patch = this.contract({ returns: bytes() })
      patch(): unknown {
        return sendFile(text)
      }
    }
    const { logger, lines } = captureLog()
    const app = createUntypedApp({ routes: { File }, logger })
    const part = await sendRequest(app, '/file', { headers: { range: 'bytes=0-1' } })
    assert.deepEqual([part.status, part.text], [206, 'ab'])
    assert.equal((await sendRequest(app, '/file', { method: 'PUT' })).text, TEXT)
    for (const method of ['POST', 'PATCH']) assert.equal((await sendRequest(app, '/file', { method })).status, 500)
    assert.equal(lines.length, 2)
    await using test = await testApp(createUntypedApp({ routes: { File } }))
    assert.equal(await (await test.fetch('/file')).text(), TEXT)
    const invoked = await invoke(File, 'get')
    const chunks: Buffer[] = []
    for await (const chunk of (invoked as ReturnType<typeof sendFile>).body) chunks.push(Buffer.from(chunk))
    assert.equal(String(Buffer.concat(chunks)), TEXT)
  })

  it('responds 500 if a small file becomes shorter before it is read', async () => {
    const { logger, lines } = captureLog()
    const path = join(createDirectory({ 'a.txt': TEXT }), 'a.txt')
    const cut: Middleware = async (_context, next) => {
      const answer = await next()
      truncateSync(path, 3)
      return answer
    }
    const { status, body } = await sendRequest(
      sending(() => sendFile(path), { middleware: [cut], logger }),
      '/file',
    )
    assert.deepEqual([status, JSON.stringify(body).includes('shorter')], [500, false])
    assert.match(String(lines[0]?.fields['err']), /shorter/)
  })

  it('sends the current time as Last-Modified of a file with a future date', async () => {
    const future = join(folder, 'future.txt')
    writeFileSync(future, 'later')
    utimesSync(future, new Date(), new Date(Date.now() + 86_400_000))
    const { headers } = await send({}, future)
    assert.ok(Date.parse(headers.get('last-modified') ?? '') <= Date.now())
  })

  it('rejects invalid options', () => {
    const loose = sendFile as unknown as (path: string, options: object) => unknown
    for (const [name, value] of Object.entries({
      root: 1,
      type: 'x',
      download: '',
      maxAge: -1,
      public: 'yes',
      immutable: 1,
      dotfiles: 'yes',
      maxage: 1,
    })) {
      assertSetupError(() => loose('a', { [name]: value }), 'OPTION_INVALID', `"${name}" of sendFile()`)
    }
    assertSetupError(
      () => loose('a', { immutable: true }),
      'OPTION_INVALID',
      '"immutable" of sendFile()',
      'Write "maxAge: ',
    )
    assertSetupError(() => loose('a', { root: new URL('http://a/') }), 'OPTION_INVALID', 'file: URL')
  })
})
