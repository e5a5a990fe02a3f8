// own process: it measures memory
/** Attacks on `files()`: hostile paths, changing links, many ranges, and files larger than memory. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import type { App } from 'verbena'
import { files } from 'verbena/files'
import { sendRequest, createUntypedApp } from '#test/apps.js'
import { createDirectory } from '#test/temp-directory.js'
import { sendStrictly, rowBytes, formatTitle } from '#test/attack-rows.js'

const SECRET = 'SECRET-BYTES'
const PUBLIC = 'public bytes'

/** Parts of hostile paths in visible ASCII, so that Verbena and not Node's parser must reject them. */
const ATOMS = [
  ...[
    '..',
    '.',
    '...',
    '....',
    '%2e%2e',
    '%2E.',
    '.%2e',
    '%252e%252e',
    '%c0%ae%c0%ae',
    '%e0%80%ae',
    '%u002e',
    '..;',
    '..%00',
  ],
  ...[
    '..%2f',
    '..%5c',
    '..\\',
    '%2e%2e%2f',
    '%2e%2e%5c',
    '..%252f',
    '..%c0%af',
    '..%ef%bc%8f',
    '%5c..',
    '\\..\\',
    '%2f',
    '%5c',
  ],
  ...[
    'secret.txt',
    'SECRET.TXT',
    'secret.txt%00.html',
    'secret.txt.',
    'secret.txt%20',
    'secret.txt::$DATA',
    'SECRET~1.TXT',
  ],
  ...[
    'public',
    'public.',
    'a.txt',
    'a.txt%2f..',
    'a.txt/..',
    'link',
    'up',
    '.env',
    '%2eenv',
    '.env%00',
    'etc',
    'passwd',
    'proc',
    'self',
  ],
  ...[
    'C:',
    'c:%5c',
    'C%3A',
    '%2fetc%2fpasswd',
    'file:',
    '~',
    '~root',
    'CON',
    'nul',
    'aux.txt',
    'COM1',
    'LPT1:',
    '\\\\host\\share',
  ],
  ...[
    '%00',
    '%0d%0a',
    '%7f',
    '%',
    '%2',
    '%zz',
    '*',
    '%3f',
    '%23',
    '%22',
    '%ff',
    '%ed%a0%80',
    '',
    ' '.trim(),
    'x'.repeat(300),
  ],
]
const JOINTS = ['/', '/', '/', '//', '%2f', '%5c', '\\', '', '/./', '/../', ';/']

const hostilePath = fc
  .array(fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...JOINTS)), { minLength: 1, maxLength: 8 })
  .map((parts) => `/${parts.flat().join('')}`)

describe('files() under attack', () => {
  const folder = createDirectory({
    'secret.txt': SECRET,
    'public/a.txt': PUBLIC,
    'public/.env': SECRET,
    'etc/passwd': SECRET,
  })
  const root = join(folder, 'public')
  let app: App
  let port = 0

  before(async () => {
    symlinkSync(join(folder, 'secret.txt'), join(root, 'link'))
    symlinkSync(folder, join(root, 'up'))
    const routes = { '/files': files(root), '/deep/er': files(root, { fallback: 'a.txt' }) }
    app = createUntypedApp({ routes, signals: false })
    port = (await app.listen({ port: 0 })).port
  })
  after(() => app.close())

  it(formatTitle({ rule: 'serves only its files for 10,000 hostile paths', source: 'RFC 9110 §17.3' }), async () => {
    const paths = fc.sample(hostilePath, { numRuns: 10_000, seed: 20 })
    const statuses = new Map<number, number>()
    for (let at = 0; at < paths.length; at += 250) {
      const mounts = ['/files', '/deep/er']
      const targets = paths.slice(at, at + 250).map((path, index) => `${mounts[index % 2]}${path}`)
      const sent = targets.map((target) =>
        rowBytes({ target, headers: { connection: 'keep-alive', accept: 'text/html' } }),
      )
      const answers = await sendStrictly(port, sent.join('') + rowBytes({ target: '/files/a.txt' }))
      assert.equal(answers.length, targets.length + 1)
      for (const [index, { status, body }] of answers.entries()) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        const text = body.toString('latin1')
        assert.ok([200, 400, 404].includes(status), `${status} for ${targets[index]}`)
        assert.ok(status === 200 ? text === PUBLIC : !text.includes(SECRET) && !text.includes(folder), targets[index])
      }
    }
    assert.ok((statuses.get(400) ?? 0) > 1000 && (statuses.get(404) ?? 0) > 100, JSON.stringify([...statuses]))
  })

  it(
    formatTitle({
      rule: 'never serves a file outside the folder when links are swapped during requests',
      source: 'CWE-367',
    }),
    async () => {
      const place = join(root, 'place')
      const [inside, outside] = [join(root, 'inside'), join(root, 'outside')]
      mkdirSync(inside)
      writeFileSync(join(inside, 'secret.txt'), PUBLIC)
      symlinkSync(folder, outside)
      const asking = new AbortController()
      let swaps = 0
      const swapping = (async () => {
        for (; !asking.signal.aborted; swaps++) {
          for (const source of [inside, outside]) {
            renameSync(source, place)
            await turn()
            renameSync(place, source)
          }
        }
      })()
      const seen = new Set<string>()
      for (let round = 0; round < 60; round++) {
        const answers = await Promise.all(Array.from({ length: 20 }, () => sendRequest(app, '/files/place/secret.txt')))
        for (const { status, text } of answers) seen.add(status === 200 ? text : String(status))
      }
      asking.abort()
      await swapping
      assert.ok(swaps > 10)
      assert.deepEqual(
        [...seen].filter((text) => text !== PUBLIC && text !== '404'),
        [],
      )
    },
  )

  it(
    formatTitle({
      rule: 'sends the file once for 1,300 overlapping ranges',
      source: 'RFC 9110 §17.15',
    }),
    async () => {
      const ranges = Array.from({ length: 1300 }, () => '0-').join(',')
      const { status, headers } = await sendRequest(app, '/files/a.txt', { headers: { range: `bytes=${ranges}` } })
      assert.deepEqual([status, headers.get('content-length')], [200, String(PUBLIC.length)])
    },
  )

  it(formatTitle({ rule: 'closes every file, however its response ends', source: 'CWE-772' }), async () => {
    writeFileSync(join(root, 'large.bin'), Buffer.alloc(3_000_000))
    const target = '/files/large.bin'
    const { headers } = await sendRequest(app, target, { method: 'HEAD' })
    const etag = headers.get('etag') ?? ''
    const asks = [
      {},
      { range: 'bytes=1-2' },
      { range: 'bytes=9000000-' },
      { 'if-none-match': etag },
      { 'if-match': '"x"' },
    ]
    const before = openFiles()
    for (const sent of [...asks, ...asks]) await sendStrictly(port, rowBytes({ target, headers: sent }))
    for (const sent of asks) await sendStrictly(port, rowBytes({ target, headers: sent, method: 'HEAD' }))
    await Promise.all(Array.from({ length: 20 }, () => leave(port, target)))
    // Other threads close the files, which takes a while on a busy machine. A leaked file is never closed.
    for (let tries = 0; openFiles() > before && tries < 500; tries++) await sleep(10)
    assert.ok(openFiles() <= before, `${openFiles()} files are open, and ${before} were`)
  })

  it(formatTitle({ rule: 'sends a file of 1 GB in less than 150 MB of memory', source: 'CWE-770' }), async () => {
    const size = 1024 ** 3
    writeFileSync(join(root, 'huge.bin'), '')
    truncateSync(join(root, 'huge.bin'), size)
    const before = process.memoryUsage().rss
    let received = 0
    let most = 0
    await new Promise<void>((resolve, reject) => {
      request({ port, path: '/files/huge.bin', host: '127.0.0.1' }, (response) => {
        response.on('data', (chunk: Buffer) => {
          received += chunk.length
          if (received % 1024 < 64) most = Math.max(most, process.memoryUsage.rss() - before)
        })
        response.on('end', resolve).on('error', reject)
      }).end()
    })
    assert.equal(received, size)
    assert.ok(most < 150 * 1024 ** 2, `${Math.round(most / 1024 ** 2)} MB`)
  })
})

/** Returns the number of open file descriptors of this process. */
function openFiles(): number {
  return readdirSync('/proc/self/fd').length
}

/** Disconnects after the start of the response. */
function leave(port: number, path: string): Promise<void> {
  return new Promise((resolve) => {
    request({ port, path, host: '127.0.0.1', agent: false }, (response) => {
      response.once('data', () => response.destroy())
      response.once('close', resolve)
    }).end()
  })
}
