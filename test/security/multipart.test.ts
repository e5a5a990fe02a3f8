/** Multipart forms over sockets: hostile bytes are rejected, connections stay usable or end, and memory stays bounded. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createApp, Route, type Input } from 'verbena'
import { multipart } from 'verbena/multipart'
import { Scanner } from '#src/features/multipart/scanner.js'
import { field, file, writeForm, type WrittenPart } from '#test/multipart.js'
import { formatTitle } from '#test/attack-rows.js'
import { serving } from '#test/serving.js'
import { askBytes, Client } from '#test/wire.js'
import { programArguments } from '#test/repository.js'

const BOUNDARY = 'x-x'

class Uploads extends Route {
  static readonly post = this.contract({ body: multipart({ files: { image: { limit: 100 } } }) })
  async post({ body }: Input<typeof Uploads.post>) {
    return { name: body.files.image.name, fields: body.fields }
  }
}

class Alive extends Route {
  get() {
    return 'alive'
  }
}

/** Formats a request with a form. */
function request(
  body: Buffer,
  rest = 'Connection: close\r\n',
  type = `multipart/form-data; boundary=${BOUNDARY}`,
): string {
  const head = `POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n${rest}\r\n`
  return head + body.toString('latin1')
}

const IMAGE = file('image', 'a.png', 'picture')
const form = (...parts: WrittenPart[]): Buffer => writeForm(BOUNDARY, parts)
const withText = (text: string): Buffer =>
  Buffer.from(form(IMAGE).toString('latin1').replace('picture', text), 'latin1')

const ROWS: readonly (readonly [about: string, body: Buffer, status: number, says: RegExp])[] = [
  [
    'names of Object.prototype',
    form(field('__proto__', 'a'), field('constructor', 'b'), IMAGE),
    200,
    /"__proto__":"a","constructor":"b"/,
  ],
  ['a file name with a path', form(file('image', '../../../etc/passwd', 'a')), 200, /"name":"passwd"/],
  [
    'a file name with an encoded line break',
    form(file('image', 'a%0D%0ASet-Cookie: b=c', 'a')),
    200,
    /"name":"a\\r\\nSet-Cookie: b=c"/,
  ],
  ['a malformed boundary within data', withText('\r\n--x-x-y'), 400, /boundary of the body is malformed/],
  ['a boundary of another form within data', withText('\r\n--x-y\r\n'), 200, /a\.png/],
  [
    'a part of another disposition',
    form({ head: 'Content-Disposition: attachment; name="a"', data: Buffer.from('') }),
    400,
    /has no name/,
  ],
  [
    'repeated part headers',
    form({ head: `${IMAGE.head}\r\n${IMAGE.head}`, data: Buffer.from('') }),
    400,
    /"Content-Disposition\\" twice/,
  ],
  [
    'more than 1,001 parts',
    form(...Array.from({ length: 1_002 }, () => field('a', '')), IMAGE),
    400,
    /more than 1001 parts/,
  ],
  [
    'a file above its limit',
    form(file('image', 'a', 'b'.repeat(101))),
    413,
    /The file \\"image\\" is larger than 100 bytes/,
  ],
  ['fields just below the body limit', form(field('a', 'b'.repeat(1_048_500)), IMAGE), 200, /a\.png/],
  [
    'a body above its limit',
    form(field('a', 'b'.repeat(1_048_577)), IMAGE),
    413,
    /The body is larger than 1048676 bytes/,
  ],
  ['a missing last boundary', form(IMAGE).subarray(0, -6), 400, /ended before its last boundary/],
]

describe('forms with files over a socket', () => {
  const app = () => createApp({ routes: { Alive, Uploads }, logger: false, signals: false })

  for (const [about, body, status, says] of ROWS) {
    it(formatTitle({ rule: `responds ${status} to ${about}`, source: 'RFC 7578 §4' }), async () => {
      await serving(app(), async (port) => {
        const answer = await askBytes(port, request(body))
        assert.equal(answer.status, status, answer.body)
        assert.match(answer.body, says)
      })
    })
  }

  it(formatTitle({ rule: 'keep the connection usable after a rejection', source: 'RFC 9112 §9.3' }), async () => {
    await serving(app(), async (port) => {
      const client = new Client(port)
      for (const body of [form(IMAGE), form(field('a', 'b')), form(IMAGE)]) {
        client.write(request(body, ''))
      }
      await client.until(/a\.png[^]*"status":422[^]*a\.png/)
      client.socket.destroy()
    })
  })

  it(
    formatTitle({
      rule: 'are scanned in linear time for any boundary and data',
      source: 'CWE-407',
    }),
    () => {
      const rows: readonly (readonly [boundary: string, unit: string])[] = [
        ['a'.repeat(70), 'a'],
        ['a'.repeat(70), '\r\n--'],
        [`${'a'.repeat(69)}b`, `\r\n--${'a'.repeat(69)}`],
        ['ab'.repeat(35), '\r'],
        [`b${'a'.repeat(69)}`, 'a'],
      ]
      for (const [boundary, unit] of rows) {
        const chunk = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)))
        const scanner = new Scanner(boundary)
        scanner.push(Buffer.from(`--${boundary}\r\nA: b\r\n\r\n`))
        while (scanner.next() !== null);
        const begin = performance.now()
        for (let count = 0; count < 160; count++) {
          scanner.push(chunk)
          while (scanner.next() !== null);
        }
        const took = performance.now() - begin
        assert.ok(took < 2_000, `10 MB of ${JSON.stringify(unit.slice(0, 8))} took ${took} ms`)
      }
    },
  )
})

describe('memory of a large upload', () => {
  it(
    formatTitle({
      rule: 'stays below 100 MB while 200 MB are uploaded to a folder, which is empty afterwards',
      source: 'CWE-770',
    }),
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'verbena-upload-'))
      const child = spawn(process.execPath, [...programArguments('test/support/upload-child.ts'), folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      try {
        const [url] = await once(child.stdout.setEncoding('utf8'), 'data')
        const [before = '', after = ''] = writeForm(BOUNDARY, [file('film', 'a.mp4', '!')])
          .toString()
          .split('!')
        const chunk = new Uint8Array(1_000_000)
        async function* body(): AsyncGenerator<Uint8Array> {
          yield Buffer.from(before)
          for (let count = 0; count < 200; count++) yield chunk
          yield Buffer.from(after)
        }
        const response = await fetch(`${String(url)}/uploads`, {
          method: 'POST',
          headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
          body: ReadableStream.from(body()),
          duplex: 'half',
        })
        const { size, highest } = (await response.json()) as { size: number; highest: number }
        assert.equal(size, 200_000_000)
        assert.ok(highest < 100_000_000, `${highest} bytes at most`)
        child.kill('SIGTERM')
        await once(child, 'exit')
        assert.deepEqual(readdirSync(folder), [])
      } finally {
        child.kill('SIGKILL')
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )
})
