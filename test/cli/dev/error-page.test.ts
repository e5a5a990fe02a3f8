/** Access to the error page of `verbena dev`: only clients of the console see it. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { MAX_OUTPUT } from '#src/cli/dev/app-process.js'
import { errorPage, loadRules, maySeeError } from '#src/cli/dev/error-page.js'
import { MountedConsole } from '#src/devconsole/serve/mount.js'
import { createExchange, createHost } from '#test/console-host.js'
import { APP, nextApp, startApp } from '#test/dev-app.js'
import { HOSTS, ORIGINS, originFields, PEERS, PROXIES, SITES } from '#test/visitors.js'

/** A socket with a peer. A Unix socket has no address. */
function socketFrom(remoteAddress: string | undefined): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
}

function headOf(rawHeaders: readonly string[], line = 'GET / HTTP/1.1'): string {
  const fields = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []))
  return `${[line, ...fields].join('\r\n')}\r\n\r\n`
}

const PAGE = ['Accept', 'text/html']

describe('maySeeError()', () => {
  it('decides like the console for every combination of peer, host, origin, site and proxy', async () => {
    const check = await loadRules()
    assert.ok(check)
    const console = new MountedConsole(createHost())
    const wrong: string[] = []
    let shown = 0
    for (const ip of Object.keys(PEERS))
      for (const [hosts] of HOSTS)
        for (const origin of ORIGINS)
          for (const site of SITES)
            for (const proxy of PROXIES)
              for (const minorVersion of [0, 1]) {
                const rawHeaders = [
                  ...hosts.flatMap((name) => ['Host', name]),
                  ...originFields(origin, hosts[0] ?? ''),
                  ...(site === 'absent' ? [] : ['Sec-Fetch-Site', site]),
                  ...[...proxy, ...PAGE],
                ]
                const { exchange, answers } = createExchange({ url: '/__dev__', ip, minorVersion, rawHeaders })
                const isTaken = console.respondsTo(exchange)
                if (isTaken && answers.length === 0) await turn()
                const isOpen = isTaken && answers[0]?.status === 200
                const bytes = Buffer.from(headOf(rawHeaders, `GET / HTTP/1.${minorVersion}`))
                const isShown = maySeeError({ socket: socketFrom(ip), bytes }, check)
                if (isShown) shown++
                if (isShown !== isOpen) wrong.push(`${isShown} from ${ip}: ${bytes.toString()}`)
              }
    assert.deepEqual(wrong.slice(0, 5), [])
    // Three local peers, four known hosts, and the valid pairs of origin and site.
    assert.equal(shown, 3 * 4 * 7)
  })

  it('needs a complete request of a browser for a page of the app', async () => {
    const check = await loadRules()
    assert.ok(check)
    const mayLocal = (text: string, address: string | undefined = '127.0.0.1'): boolean =>
      maySeeError({ socket: socketFrom(address), bytes: Buffer.from(text) }, check)
    const page = headOf(['Host', 'localhost', ...PAGE])
    assert.equal(mayLocal(page), true)
    assert.equal(mayLocal(headOf(['Host', 'localhost', 'Sec-Fetch-Mode', 'navigate'])), true)
    for (const text of [
      page.slice(0, -2),
      headOf(['Host', 'localhost']),
      headOf(['Host', 'localhost', ...PAGE], 'POST / HTTP/1.1'),
      headOf(['Host', 'localhost', ...PAGE], 'GET /__dev__/requests HTTP/1.1'),
      headOf(['Host', 'localhost', ...PAGE], 'GET /__dev__ HTTP/1.1'),
      page.replace('Host:', 'Host :'),
      '',
    ])
      assert.equal(mayLocal(text), false, text)
    assert.equal(maySeeError({ socket: socketFrom(undefined), bytes: Buffer.from(page) }, check), false)
  })
})

describe('errorPage()', () => {
  it('hides secrets like the log, and escapes HTML', () => {
    const page = errorPage(
      'Failed',
      'postgres://ann:hunter2@db/shop <b> api_key=abc123 Bearer abc.def \u001B[31mred\u001B[0m',
    )
    assert.match(page, /<pre>postgres:\/\/redacted/)
    assert.doesNotMatch(page, /hunter2|abc123|abc\.def|<b>/)
    assert.ok(!page.includes('\u001B'))
  })
})

describe('verbena dev: error page', { timeout: 240_000 }, () => {
  const send = async (port: number, text: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    socket.write(text)
    let received = ''
    socket.on('data', (chunk: string) => (received += chunk))
    await once(socket, 'close')
    return received
  }

  it('sends the page to no other host, site or proxy, and hides secrets', async () => {
    const failing = `console.error('Bearer ' + 's'.repeat(${MAX_OUTPUT}))\nconsole.error('https://ann:hunter2@host/ token=abc123')`
    const { dev, port, save } = await startApp(APP)
    await using _ = dev
    const failed = dev.next('failed')
    save(`${failing}\nthrow new Error('no database, password=hunter2')`)
    await failed
    const page = await send(port, headOf(['Host', `localhost:${port}`, ...PAGE]))
    assert.match(page, /^HTTP\/1\.1 503 [^]*no database, password=redacted/)
    assert.doesNotMatch(page, /hunter2|abc123|sss/)
    for (const fields of [
      ['Host', 'evil.test'],
      ['Host', 'localhost', 'Origin', 'http://evil.test'],
      ['Host', 'localhost', 'Sec-Fetch-Site', 'cross-site'],
      ['Host', 'localhost', 'X-Forwarded-For', '127.0.0.1'],
    ]) {
      const answer = await send(port, headOf([...fields, ...PAGE]))
      assert.match(answer, /^HTTP\/1\.1 200 [^]*"version":1/, fields.join())
    }
    const again = dev.next('restart')
    save(nextApp(2))
    await again
    const ended = dev.next('failed')
    await send(port, headOf(['Host', 'localhost'], 'GET /end HTTP/1.1'))
    await ended
    const problem = await send(port, headOf(['Host', 'evil.test', ...PAGE]))
    assert.match(problem, /^HTTP\/1\.1 503 [^]*application\/problem\+json/)
    assert.match(await send(port, headOf(['Host', 'localhost', ...PAGE])), /^HTTP\/1\.1 503 [^]*<h1>The app has ended/)
  })
})
