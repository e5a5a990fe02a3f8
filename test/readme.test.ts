/** What the README shows is what the example answers: its calls are run with `curl` against `npm start`. */
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

/** Starts what the script `start` of package.json starts, on a free port. */
function startExample(): ChildProcess {
  const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  const [, mode, file] = /^NODE_ENV=(\w+) tsx (\S+)$/.exec(manifest.scripts['start'] ?? '') ?? []
  assert.ok(mode !== undefined && file !== undefined, 'the script "start" is not "NODE_ENV=… tsx <file>" any more')
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
  throw new Error('The example ended before it said where it listens')
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

  it('shows the calls', () => {
    assert.ok(calls.length >= 6, `${calls.length} calls of curl were found`)
  })

  for (const { line, args, output } of calls) {
    it(`is right in line ${line}: curl ${args.join(' ')}`, async () => {
      const real = args.map((arg) => arg.replace(SHOWN, url))
      assert.notDeepEqual(real, args, `the call goes elsewhere than ${SHOWN}`)
      const { stdout } = await run('curl', ['--silent', '--show-error', '--max-time', '10', ...real])
      assert.equal(lasting(stdout), lasting(output))
    })
  }

  it('says that Ctrl-C stops the example, and it does', { timeout: 10_000 }, async () => {
    example.kill('SIGINT')
    assert.deepEqual(await once(example, 'exit'), [0, null])
  })

  it('says how to start it, how to test it, and what to do about a port that is taken', () => {
    for (const text of ['npm ci && npm start', 'npm ci && npm test', 'PORT=3001 npm start']) {
      assert.ok(README.includes(text), text)
    }
  })

  it('is short, and starts within its first screen', () => {
    assert.ok(README.split('\n').length < MOST_LINES)
    assert.ok(README.slice(0, README.indexOf('npm ci && npm start')).split('\n').length < 20)
  })
})

describe('curlCalls()', () => {
  it('takes commands with the lines below them', () => {
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

  it('refuses a block that begins with something else', () => {
    assert.throws(() => curlCalls('```console\n$ npm start\n```\n'), /Cannot read line 2/)
  })
})

describe('wordsOf()', () => {
  for (const command of ['http://h/p?a=b', '-d "a"', '$(ls)', "-d 'a", 'a | b']) {
    it(`refuses ${command}`, () => assert.throws(() => listWords(command), /Cannot read the command/))
  }
})

describe('lasting()', () => {
  it('leaves out what differs from run to run, and nothing else', () => {
    const head = 'HTTP/1.1 200 OK\r\nallow: GET\r\nx-request-id: a_B-1\r\nDate: now\r\nKeep-Alive: timeout=5\r\n\r\n'
    assert.equal(
      lasting(`${head}{"status":1,"requestId":"a_B-1"}`),
      'HTTP/1.1 200 OK\nallow: GET\nx-request-id: …\n\n{"status":1,"requestId":"…"}',
    )
  })
})
