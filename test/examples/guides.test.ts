/** Tables of the guides that no example checks. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { createApp, Route, type App } from 'verbena'

class Home extends Route {
  async get() {
    return 'home'
  }
}

/** Port of a listening app, and a function that closes it. */
interface Reached {
  readonly port: number
  close(): Promise<void>
}

const WAYS: Readonly<Record<string, (app: App) => Promise<Reached>>> = {
  listen: async (app) => {
    const { port } = await app.listen()
    return { port, close: () => app.close() }
  },
  attach: (app) => ownServer(app, (server) => app.attach(server)),
  handler: (app) => ownServer(app, (server) => server.on('request', app.handler)),
}

async function ownServer(app: App, use: (server: ReturnType<typeof createServer>) => unknown): Promise<Reached> {
  const server = createServer()
  use(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const close = async (): Promise<void> => {
    await app.close()
    server.close()
    server.closeAllConnections()
  }
  return { port: address.port, close }
}

/** Sends bytes, and returns all bytes received until the connection ends. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

const HEAD = 'GET /home HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'
const REQUESTS = {
  'too many headers': `${HEAD}${'a: b\r\n'.repeat(20)}\r\n`,
  'too large a head': `${HEAD}a: ${'b'.repeat(2_000)}\r\n\r\n`,
  'an unknown method': `FOO / HTTP/1.1\r\n\r\n`,
  'an unknown expectation': `${HEAD}Expect: more\r\n\r\n`,
  'no host': HEAD.replace('Host: a\r\n', '') + '\r\n',
}

/** Expected statuses, with `problem` for problem details. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  listen: ['431 problem', '431 problem', '501 problem', '417 problem', '400 problem'],
  attach: ['431 problem', '431 problem', '501 problem', '417 problem', '400'],
  handler: ['431 problem', '200', '400', '417', '400'],
}

describe('docs/guides/limits.md', () => {
  for (const [way, reach] of Object.entries(WAYS)) {
    it(`lists the actual responses with app.${way}`, async () => {
      const limits = { headers: 10, headerBytes: 1_000 }
      const { port, close } = await reach(createApp({ routes: { Home }, limits, logger: false, signals: false }))
      try {
        const answers = await Promise.all(Object.values(REQUESTS).map((bytes) => exchange(port, bytes)))
        assert.deepEqual(answers.map(shortly), ANSWERS[way])
      } finally {
        await close()
      }
    })
  }
})

function shortly(answer: string): string {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'none'
  return answer.includes('application/problem+json') ? `${status} problem` : status
}

describe('docs/README.md', () => {
  const page = readFileSync('docs/README.md', 'utf8')

  for (const folder of ['guides', 'how-to', 'decisions']) {
    it(`lists everything in docs/${folder}`, () => {
      const missing = readdirSync(`docs/${folder}`)
        .filter((file) => file.endsWith('.md'))
        .filter((file) => !page.includes(`](${folder}/${file})`))
      assert.deepEqual(missing, [])
    })
  }
})

describe('docs/decisions', () => {
  it('is named, file by file, by the code that a change could break', () => {
    const code = ['src', 'scripts', 'console', 'test'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    )
    const named = code
      .filter((file) => /\.(?:ts|mjs)$/.test(file))
      .flatMap((file) => readFileSync(file, 'utf8').match(/(?<=@see )docs\/decisions\/\S+/g) ?? [])
    const files = readdirSync('docs/decisions').map((file) => `docs/decisions/${file}`)
    assert.deepEqual([...new Set(named)].toSorted(), files.toSorted())
  })
})

describe('docs/guides', () => {
  it('shows every picture with an alternative text, and each is under 80 kB', () => {
    const page = ['console.md', 'openapi.md'].map((file) => readFileSync(`docs/guides/${file}`, 'utf8')).join('\n')
    const shown = [...page.matchAll(/^!\[(?<words>[^\]]{40,})\]\(images\/(?<file>[^)]+)\)$/gm)]
    const files = readdirSync('docs/guides/images')
    assert.deepEqual(shown.map(({ groups }) => groups?.['file']).toSorted(), files.toSorted())
    for (const file of files) assert.ok(statSync(`docs/guides/images/${file}`).size < 80_000, file)
  })
})

describe('test/support/README.md', () => {
  it('names only files that exist', () => {
    const names = Array.from(
      readFileSync('test/support/README.md', 'utf8').matchAll(/`([\w*-]+\.ts)`/g),
      ([, name = '']) => name,
    )
    assert.ok(names.length > 30, `${names.length} names`)
    const files = readdirSync('test/support')
    const exists = (name: string) => files.some((file) => new RegExp(`^${name.replaceAll('*', '.*')}$`).test(file))
    assert.deepEqual(
      names.filter((name) => !exists(name)),
      [],
    )
  })
})

describe('CONTRIBUTING.md', () => {
  it('lists each command of package.json once', () => {
    const { scripts }: { readonly scripts: object } = JSON.parse(readFileSync('package.json', 'utf8'))
    const rows = readFileSync('CONTRIBUTING.md', 'utf8').match(/^\| `.*?\|/gm) ?? []
    const listed = rows.flatMap((row) => Array.from(row.matchAll(/`npm (?:run )?([\w:-]+)`/g), ([, name = '']) => name))
    assert.deepEqual(listed.toSorted(), [...new Set(listed)].toSorted())
    assert.deepEqual(
      listed.filter((name) => !(name in scripts)),
      [],
    )
    const missing = Object.keys(scripts).filter((name) => !listed.includes(name))
    assert.deepEqual(missing, [])
  })
})
