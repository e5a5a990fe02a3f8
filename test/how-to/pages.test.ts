/** The task pages: their code is copied into a folder, compiled and started, and their requests get the responses that they show. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { SignJWT } from 'jose'
import { EXAMPLE_PAGES, findFreePort, listPages, readPage } from '#test/how-to.js'
import { servePage, testPages, type UsedServer } from '#test/how-to-tests.js'

const ofExamples = new Set<string>(Object.values(EXAMPLE_PAGES).flat())

testPages(
  listPages().filter((name) => !ofExamples.has(name)),
  {
    folder: join('.cache', 'how-to'),
    project: process.env['TSX_TSCONFIG_PATH'] ?? 'tsconfig.json',
    servers: {
      'debug-in-vs-code': async () => ({ words: { 9230: String(await findFreePort()) }, close: async () => {} }),
      'log-in-with-keycloak': serveRealm,
      'stream-tokens': serveModel,
    },
  },
)

/** Responds like a language model, with the two tokens of one word in small packets. */
async function serveModel(): Promise<UsedServer> {
  const chunks = ['Hel', 'lo'].map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
  const text = `${chunks.join('')}data: [DONE]\n\n`
  return servePage('11434', async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of text.match(/.{1,40}/gs) ?? []) {
      response.write(part)
      await sleep(10)
    }
    response.end()
  })
}

/** Serves the keys of a realm and tokens for its user, like Keycloak. */
async function serveRealm(): Promise<UsedServer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig', alg: 'RS256' }
  return servePage('8080', async ({ url, headers: { host } }, response) => {
    const base = '/realms/shop/protocol/openid-connect'
    response.setHeader('content-type', 'application/json')
    if (url === `${base}/certs`) return response.end(JSON.stringify({ keys: [jwk] }))
    assert.equal(url, `${base}/token`)
    const token = await new SignJWT({ preferred_username: 'ada', realm_access: { roles: ['clerk'] } })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: '1' })
      .setIssuer(`http://${host}/realms/shop`)
      .setAudience(['https://api.example', 'account'])
      .setSubject('5f2c')
      .setExpirationTime('5m')
      .sign(privateKey)
    return response.end(JSON.stringify({ access_token: token, token_type: 'Bearer' }))
  })
}

describe('EXAMPLE_PAGES', () => {
  it('names pages that the tests of their example run', () => {
    for (const [example, names] of Object.entries(EXAMPLE_PAGES)) {
      assert.ok(readdirSync(`examples/${example}/test`).includes('how-to.test.ts'), example)
      for (const name of names) assert.ok(listPages().includes(name), name)
    }
  })
})

describe('links of docs/how-to', () => {
  it('lead to pages and headings that exist', () => {
    const broken = listPages().flatMap((name) =>
      [
        ...readFileSync(`docs/how-to/${name}.md`, 'utf8').matchAll(
          /\]\((?!https?:)(?<path>[^#)]+)#?(?<anchor>[^)]*)\)/g,
        ),
      ]
        .map(({ groups }) => [join('docs/how-to', groups?.['path'] ?? ''), groups?.['anchor'] ?? ''] as const)
        .filter(([path, anchor]) => !existsSync(path) || (anchor !== '' && !listAnchors(path).includes(anchor)))
        .map(([path, anchor]) => `${name}: ${path}#${anchor}`),
    )
    assert.deepEqual(broken, [])
  })
})

/** Returns the anchors of the headings of a page, as GitHub builds them. */
function listAnchors(path: string): string[] {
  const headings = readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)
  return Array.from(headings, ([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** A variable of VS Code. */
const FILE = ['$', '{file}'].join('')

describe('docs/how-to/debug-in-vs-code.md', () => {
  it('starts the app and its tests as `npm run dev` and `npm test` do', () => {
    const { configurations } = JSON.parse(readPage('debug-in-vs-code').files.get('.vscode/launch.json') ?? '')
    const started = configurations.map(({ type, runtimeArgs, program }: Readonly<Record<string, unknown>>) => [
      ...[type, runtimeArgs, program].flat(),
    ])
    assert.deepEqual(started, [
      ['node', '--import=tsx', 'src/server.ts'],
      ['node', '--import=tsx', '--test', FILE],
    ])
  })
})

describe('docs/how-to/lay-out-large-app.md', () => {
  const { files } = readPage('lay-out-large-app')
  const rules = (files.get('.github/CODEOWNERS') ?? '')
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/))
  const paths = [...files.keys()].filter((path) => path.endsWith('.ts'))

  it('names a team after each pattern', () => {
    for (const rule of rules) assert.match(rule.join(' '), /^\S+ @[\w-]+\/[\w-]+$/)
  })

  it('has only patterns that match a file, and the owner of the feature for both of its folders', () => {
    // Git reads the same patterns as GitHub. The last pattern that matches a file counts.
    const matches = rules.map(([pattern = '']) => matchPaths(pattern, paths))
    for (const [index, { size }] of matches.entries()) assert.notEqual(size, 0, rules[index]?.[0])
    const owners = paths.map((path) => [path, rules[matches.findLastIndex((found) => found.has(path))]?.[1]])
    assert.deepEqual(Object.fromEntries(owners), {
      'src/orders/orders.ts': '@acme/sales',
      'src/orders/routes.ts': '@acme/sales',
      'src/app.ts': '@acme/platform',
      'test/orders/routes.test.ts': '@acme/sales',
    })
  })
})

/** Returns the paths that a pattern of `.gitignore` matches. */
function matchPaths(pattern: string, paths: readonly string[]): Set<string> {
  const folder = mkdtempSync(join(tmpdir(), 'verbena-owners-'))
  try {
    execFileSync('git', ['init', '--quiet', folder])
    writeFileSync(join(folder, '.gitignore'), `${pattern}\n`)
    const options = { cwd: folder, input: paths.join('\n'), encoding: 'utf8' } as const
    // The exit code is 1 if no path matches.
    const { status, stdout, stderr } = spawnSync('git', ['check-ignore', '--stdin'], options)
    assert.ok(status === 0 || status === 1, stderr)
    return new Set(stdout.split('\n').filter((path) => path !== ''))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
