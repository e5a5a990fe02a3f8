/** `--url`: the console of a running app, with and without a token. */
/* oxlint-disable import/first -- the environment is read when modules load */
import '#test/development.js'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { openConsole as openSource } from '#src/cli/records/console-source.js'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'
import type { LogLine } from '#src/devconsole/wire/request-types.js'
import { plainVerbena as verbena } from '#test/dev-state.js'
import { openConsole, post, read, waitForSnapshot, type TestConsole } from '#test/console.js'

/** Opens a server that responds the same to all requests. */
async function openServer(
  t: TestContext,
  status: number,
  body: string,
  headers = {},
): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.writeHead(status, headers).end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  // Proof: a server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests }
}

describe('commands with --url', { concurrency: true }, () => {
  let app: TestConsole

  before(async () => {
    app = await openConsole()
    await post(`${app.url}/books/1`, { title: 'wrong' })
    await fetch(`${app.url}/books/2`)
    await waitForSnapshot(app.url, 2)
  })
  after(() => app.close())

  it('read the console of an app', async () => {
    const last = await verbena(['last', '--url', app.url])
    assert.equal(last.code, 1)
    assert.match(
      last.out,
      /^500 {2}POST \/books\/\{id\} {2}[\d.]+ ms {2}r_\w+\nTypeError: No such book\nCause: Error: The shelf is empty\n {2}at test\/support\/console\.ts:\d+\n/,
    )
    const rows = JSON.parse(
      (await verbena(['requests', '--url', app.url, '--where', 'status:2xx -is:replayed', '--json'])).out,
    )
    assert.deepEqual(
      rows.map(({ target, run }: { target: string; run: null }) => [target, run]),
      [['/books/2', null]],
    )
    const { out } = await verbena(['requests', '--url', `${app.url}/any/path`])
    assert.match(out, /\n200 {5}GET .* - {4}r_\w+\n/)
    const shown = await verbena(['request', rows[0].id, '--url', app.url, '--json'])
    assert.equal(JSON.parse(shown.out).id, rows[0].id)
    const missing = await verbena(['request', 'r_none', '--url', app.url])
    assert.match(missing.err, /^Cannot show "r_none"/)
    const wrong = await verbena(['requests', '--url', app.url, '--where', 'status:x'])
    assert.match(wrong.err, /^Cannot use "--where status:x"/)
  })

  it('use paths of the console that the guide lists, with their members', async () => {
    const guide = readFileSync('docs/guides/command-line.md', 'utf8')
    const paths = Array.from(guide.matchAll(/`GET (\/__dev__\/api\/[^`]+)`/g), ([, path = '']) => path)
    assert.equal(paths.length, 3)
    const { requests } = await read<Snapshot>(`${app.url}/__dev__/api/snapshot`)
    const [newest] = requests
    const members = await Promise.all(
      paths.map(async (path) => {
        const wanted = path
          .replace('<filter>', 'status:2xx')
          .replace('<count>', '1')
          .replace('<id>', String(newest?.id))
        return Object.keys(await read<object>(`${app.url}${wanted}`))
      }),
    )
    const [snapshot = [], page, record = []] = members
    assert.deepEqual(
      ['requests', 'logs'].filter((name) => !snapshot.includes(name)),
      [],
    )
    assert.deepEqual(page, ['items', 'more'])
    const needed = ['id', 'callOuts', 'error', 'calls', 'queries', 'logs', 'issues', 'request', 'response', 'dev.flags']
    assert.deepEqual(
      needed.filter((name) => !record.includes(name)),
      [],
    )
  })

  it('replay a request', async () => {
    const [row] = JSON.parse((await verbena(['requests', '--url', app.url, '--where', 'path:/books/2', '--json'])).out)
    const { code, out } = await verbena(['replay', row.id, '--url', app.url])
    assert.equal(code, 0)
    assert.match(out, /^200 {2}\d+ ms\n\{"id":"2"/)
  })

  it('follow the log until the app ends', async () => {
    const own = await openConsole()
    const source = await openSource(own.url, false)
    const lines: LogLine[] = []
    const following = source.follow((line) => {
      // The second line shows that no line is repeated.
      if (lines.push(line) === 1) void fetch(`${own.url}/books/4`).catch(() => {})
      else void own.close()
    })
    await fetch(`${own.url}/books/3`)
    await assert.rejects(following, /^Error: Cannot read http:/)
    assert.ok(lines.some(({ message }) => message === 'looking'))
    assert.equal(new Set(lines.map(({ seq }) => seq)).size, lines.length)
  })

  it('sign in with the token of VERBENA_TOKEN', async () => {
    const own = await openConsole({ token: 'a-long-token-of-16' })
    const args = ['logs', '--url', own.url]
    const none = await verbena(args)
    assert.deepEqual(
      [none.code, none.err],
      [2, `Cannot read ${own.url}: the console requires a token. Set VERBENA_TOKEN\n`],
    )
    const wrong = await verbena(args, { env: { VERBENA_TOKEN: 'another-token-of-20' } })
    assert.match(wrong.err, /the console rejects the token in VERBENA_TOKEN/)
    // The console takes one attempt each second.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const right = await verbena(args, { env: { VERBENA_TOKEN: 'a-long-token-of-16' } })
    assert.equal(right.code, 0)
    await own.close()
  })

  it('send the token to no other address', async (t) => {
    const target = await openServer(t, 200, '{}')
    const { url, requests } = await openServer(t, 307, '', { location: `${target.url}/__dev__/session` })
    const { code, err } = await verbena(['last', '--url', url], { env: { VERBENA_TOKEN: 'a-long-token-of-16' } })
    assert.equal(code, 2)
    assert.match(err, /^Cannot read http:.*: unexpected redirect/)
    assert.deepEqual([requests.length, target.requests.length], [1, 0])
  })

  /** Addresses that are not read, with the reason. */
  const URLS: readonly (readonly [url: string, reason: RegExp])[] = [
    ['localhost:3000', /^Cannot read "localhost:3000": it is not a URL/],
    ['nothing', /^Cannot read "nothing": it is not a URL/],
    ['ftp://127.0.0.1', /it is not a URL/],
    ['http://example.test', /^Cannot read "http:\/\/example\.test": it is another machine\. Add "--allow-remote"/],
    ['http://127.0.0.1.example.test', /it is another machine/],
    ['http://127.0.0.1:1', /^Cannot read http:\/\/127\.0\.0\.1:1: (?:connect ECONNREFUSED|bad port)/],
  ]

  for (const [url, reason] of URLS) {
    it(`reject ${url}`, async () => {
      const { code, err } = await verbena(['last', '--url', url])
      assert.equal(code, 2)
      assert.match(err, reason)
    })
  }

  it('accept another machine with --allow-remote', async () => {
    const { err } = await verbena(['last', '--url', 'http://verbena.invalid', '--allow-remote'])
    assert.match(err, /^Cannot read http:\/\/verbena\.invalid: (?!it is another)/)
  })

  /** Responses that are not of a console. */
  const RESPONSES: readonly (readonly [status: number, body: string, reason: RegExp])[] = [
    [200, '<html>', /its response is not from a console of Verbena/],
    [404, '', /it has no console, or does not show it to this machine/],
    [500, '', /the console responded 500/],
  ]

  for (const [status, body, reason] of RESPONSES) {
    it(`report a response with ${status}`, async (t) => {
      const { url } = await openServer(t, status, body)
      const { code, err } = await verbena(['last', '--url', url])
      assert.equal(code, 2)
      assert.match(err, reason)
    })
  }
})
