/** Runs the `curl` commands of the README against `npm start`, and compares their output. */
import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { curlCalls, lasting, listWords } from '#test/readme.js'

const run = promisify(execFile)
const SHOWN = 'http://127.0.0.1:3000'
const README = readFileSync('README.md', 'utf8')
const MOST_LINES = 150
const MAX_LINE_LENGTH = 160
const ADDRESSES = /^\[[\w-]+\]: \S+\n/gm
const CODE = /^```[^]*?^```$/gm

/** Starts the app of the script `start` in package.json, on a free port. */
function startExample(): ChildProcess {
  const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  const [, mode, file] = /&& NODE_ENV=(\w+) tsx (\S+)$/.exec(manifest.scripts['start'] ?? '') ?? []
  assert.ok(mode !== undefined && file !== undefined, 'the script "start" must end with "NODE_ENV=… tsx <file>"')
  return spawn(process.execPath, ['--import=tsx', file], {
    env: { ...process.env, NODE_ENV: mode, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function firstUrl(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout)
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/[\w.:]+/.exec(line)?.[0]
    if (url !== undefined) return url
  }
  throw new Error('The example ended before it printed its URL')
}

describe('README.md', () => {
  const calls = curlCalls(README)
  let example: ChildProcess
  let url: string

  before(async () => {
    example = startExample()
    url = await firstUrl(example)
  })

  after(() => example.kill('SIGKILL'))

  it('shows at least six curl commands', () => {
    assert.ok(calls.length >= 6, `${calls.length} curl commands were found`)
  })

  for (const { line, args, output } of calls) {
    it(`shows the actual output in line ${line}: curl ${args.join(' ')}`, async () => {
      const real = args.map((arg) => arg.replace(SHOWN, url))
      assert.notDeepEqual(real, args, `the command must use ${SHOWN}`)
      const { stdout } = await run('curl', ['--silent', '--show-error', '--max-time', '10', ...real])
      assert.equal(lasting(stdout), lasting(output))
    })
  }

  it('shows an example that SIGINT stops with exit code 0', { timeout: 10_000 }, async () => {
    example.kill('SIGINT')
    assert.deepEqual(await once(example, 'exit'), [0, null])
  })

  it('explains how to start and test the example, and how to change its port', () => {
    for (const text of ['npm ci && npm start', 'npm ci && npm test', 'PORT=3001 npm start']) {
      assert.ok(README.includes(text), text)
    }
  })

  it('is under 150 lines without the addresses at its end, and shows how to start in the first 20', () => {
    assert.ok(README.replace(ADDRESSES, '').split('\n').length < MOST_LINES)
    assert.ok(README.slice(0, README.indexOf('npm ci && npm start')).split('\n').length < 20)
  })
})

describe('prose of README.md', () => {
  it('links to each address at the end, and to no other', () => {
    const text = README.replace(CODE, '')
    const addresses = Array.from(text.matchAll(/^\[([\w-]+)\]: /gm), ([, name]) => name)
    const links = Array.from(
      text.matchAll(/\]\[([\w-]+)\]|(?<!\])\[([\w-]+)\](?![([:])/g),
      ([, after, own]) => after ?? own,
    )
    assert.deepEqual([...new Set(links)].toSorted(), addresses.toSorted())
  })

  it('has lines of at most 160 characters', () => {
    const lines = README.replace(CODE, '').split('\n')
    assert.deepEqual(
      lines.filter((line) => line.length > MAX_LINE_LENGTH),
      [],
    )
  })
})

describe('curlCalls()', () => {
  it('reads commands with the output below them', () => {
    const text = [
      '# T',
      '```console',
      "$ curl -d 'a b' u",
      'one',
      '',
      'two',
      '$ curl v',
      '```',
      '```sh',
      'x',
      '```',
      '',
    ]
    assert.deepEqual(curlCalls(text.join('\n')), [
      { line: 3, args: ['-d', 'a b', 'u'], output: 'one\n\ntwo' },
      { line: 7, args: ['v'], output: '' },
    ])
  })

  it('rejects a block that does not begin with a command', () => {
    assert.throws(() => curlCalls('```console\n$ npm start\n```\n'), /Cannot read line 2/)
  })
})

describe('wordsOf()', () => {
  for (const command of ['http://h/p?a=b', '-d "a"', '$(ls)', "-d 'a", 'a | b']) {
    it(`rejects ${command}`, () => assert.throws(() => listWords(command), /Cannot read the command/))
  }
})

describe('lasting()', () => {
  it('removes only the parts that differ between runs', () => {
    const head = 'HTTP/1.1 200 OK\r\nallow: GET\r\nx-request-id: a_B-1\r\nDate: now\r\nKeep-Alive: timeout=5\r\n\r\n'
    assert.equal(
      lasting(`${head}{"status":1,"requestId":"a_B-1"}`),
      'HTTP/1.1 200 OK\nallow: GET\nx-request-id: …\n\n{"status":1,"requestId":"…"}',
    )
  })
})
