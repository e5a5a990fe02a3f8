/** Random sequences of saves and requests under `verbena dev`, with checks of the remaining processes, descriptors and sockets (Linux). */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, startDev, type DevCommand, type DevResponse } from '#test/dev-command.js'
import { eventually } from '#test/eventually.js'
import { createRandom, pick, type Random } from '#test/mutator.js'

const MAX_PROCESSES = 3
const STEPS = 14

/** Responds with the version of its code, its variable and its process. `/500` takes 500 ms. */
const APP = `import { createServer } from 'node:http'
import { part } from './lib/part.js'
import { version } from './version.js'
createServer((request, response) => {
  const text = JSON.stringify({ version, part, variable: process.env.VARIABLE, pid: process.pid })
  setTimeout(() => response.end(text), Number(request.url.slice(1)))
}).listen(0, '127.0.0.1', function () { console.log('port', this.address().port, 'pid', process.pid) })
`
const WRITE = `import { writeFileSync } from 'node:fs'\n`
const WRITE_SAME = `${WRITE}writeFileSync('same.json', '{}')\n`

interface Sequence {
  readonly folder: string
  readonly dev: DevCommand
  readonly port: number
  readonly random: Random
  /** Values that the last good save has written. */
  readonly saved: { version: number; part: number; variable: string }
  readonly requests: Promise<DevResponse | Error>[]
  readonly sockets: Socket[]
  readonly names: string[]
}

type NamedStep = readonly [name: string, act: (sequence: Sequence) => void]

function save({ folder }: Sequence, name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

function saveVersion(sequence: Sequence, before = ''): void {
  const { saved } = sequence
  save(sequence, 'version.js', `${before}export const version = ${++saved.version}\n`)
}

const STEP_LIST: readonly [NamedStep, ...NamedStep[]] = [
  ['save', (sequence) => saveVersion(sequence)],
  ['syntax error', (sequence) => save(sequence, 'version.js', 'export const version = 1 2\n')],
  ['error at the start', (sequence) => save(sequence, 'version.js', `throw new Error('no database')\n`)],
  ['slow start', (sequence) => saveVersion(sequence, 'await new Promise((resolve) => setTimeout(resolve, 400))\n')],
  ['same file written by the app', (sequence) => saveVersion(sequence, WRITE_SAME)],
  [
    'file written by the app',
    (sequence) => saveVersion(sequence, `${WRITE}writeFileSync('data.json', '${sequence.saved.version}')\n`),
  ],
  [
    'renamed file',
    (sequence) => {
      const path = join(sequence.folder, 'version.js')
      writeFileSync(`${path}.tmp`, `export const version = ${++sequence.saved.version}\n`)
      renameSync(`${path}.tmp`, path)
    },
  ],
  [
    'renamed folder',
    ({ folder, saved }) => {
      const lib = join(folder, 'lib')
      renameSync(lib, join(folder, `.lib-${++saved.part}`))
      mkdirSync(lib)
      writeFileSync(join(lib, 'part.js'), `export const part = ${saved.part}\n`)
    },
  ],
  [
    'new folder',
    ({ folder, saved }) => {
      const lib = join(folder, 'lib')
      rmSync(lib, { recursive: true })
      mkdirSync(lib)
      writeFileSync(join(lib, 'part.js'), `export const part = ${++saved.part}\n`)
    },
  ],
  [
    '.env',
    (sequence) => {
      sequence.saved.variable = `value ${Math.floor(sequence.random() * 1_000)}`
      save(sequence, '.env', `VARIABLE=${sequence.saved.variable}\n`)
    },
  ],
  ['Enter', ({ dev }) => void dev.child.stdin?.write('\n')],
  ['request', (sequence) => send(sequence, '/0')],
  ['slow request', (sequence) => send(sequence, '/500')],
  [
    'connection without bytes',
    ({ port, sockets }) => {
      sockets.push(connect(port, '127.0.0.1').on('error', () => {}))
    },
  ],
  ['connection that ends', ({ sockets }) => void sockets.pop()?.destroy()],
]

function send({ requests, port }: Sequence, path: string): void {
  requests.push(ask({ port, path }).catch((error: unknown) => new Error(String(error))))
}

/** Returns the ids of the running processes that a process has started. */
function listChildren(pid: number): number[] {
  return listProcesses().filter((child) => {
    const [state, parent] = readProcess(child, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number(parent) === pid && state !== 'Z'
  })
}

export function countChildren({ pid }: ChildProcess): number {
  return listChildren(Number(pid)).length
}

function listProcesses(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}

/** Returns an empty string if the process has ended. */
function readProcess(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** Counts the descriptors of a process by kind, such as `socket`. */
function countDescriptors(pid: number): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const kind = readKind(`/proc/${pid}/fd/${name}`)
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** The descriptor that reads the folder is already closed. */
function readKind(path: string): string {
  try {
    return readlinkSync(path).replace(/:.*|^\/.*/, '')
  } catch {
    return 'closed'
  }
}

async function readState(port: number): Promise<{ pid: number } & Sequence['saved']> {
  const { status, text } = await ask({ port })
  assert.equal(status, 200, text)
  return JSON.parse(text)
}

/** Runs one sequence in an empty folder. Returns the names of its steps. */
export async function runSequence(folder: string, program: string, seed: number): Promise<string[]> {
  mkdirSync(join(folder, 'lib'), { recursive: true })
  const files = {
    'package.json': '{"type":"module"}',
    'app.js': APP,
    'version.js': 'export const version = 0\n',
    'lib/part.js': 'export const part = 0\n',
    '.env': 'VARIABLE=value\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  await using dev = startDev(folder, ['app.js', '--env-file=.env'], { program })
  const [, port, pid] = await dev.printed(/port (\d+) pid (\d+)/)
  const saved = { version: 0, part: 0, variable: 'value' }
  const lists = { requests: [], sockets: [], names: [] }
  const sequence: Sequence = { folder, dev, port: Number(port), random: createRandom(seed), saved, ...lists }
  const parent = Number(dev.child.pid)
  const count = (app: number): unknown => [countDescriptors(parent), countDescriptors(app)]
  // Without a connection.
  const before = count(Number(pid))
  await drawSteps(sequence, parent)
  const app = await checkResult(sequence, parent)
  await eventually(() => assert.deepEqual(count(app), before))
  assert.equal(await dev.end(), 0)
  const left = listProcesses().filter((each) => isIn(each, folder))
  assert.deepEqual(left, [])
  await assert.rejects(ask({ port: sequence.port }), /ECONNREFUSED/)
  return sequence.names
}

function isIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder
  } catch {
    return false
  }
}

async function drawSteps(sequence: Sequence, parent: number): Promise<void> {
  const { random, names } = sequence
  for (let step = 0; step < STEPS; step++) {
    const [name, act] = pick(random, STEP_LIST)
    names.push(name)
    act(sequence)
    const end = performance.now() + pick(random, [0, 20, 60, 150, 400])
    do {
      const apps = listChildren(parent)
      assert.ok(apps.length <= MAX_PROCESSES, `${apps.length} processes run`)
      await sleep(10)
    } while (performance.now() < end)
  }
}

/** Checks that the last code responds in the only process, and that each request had a response. Returns the id of the process. */
async function checkResult(sequence: Sequence, parent: number): Promise<number> {
  const { dev, port, saved, requests, sockets } = sequence
  for (const socket of sockets) socket.destroy()
  const checkState = async (): Promise<void> => {
    const { pid: _pid, ...state } = await readState(port)
    assert.deepEqual(state, saved)
  }
  saveVersion(sequence, WRITE_SAME)
  await eventually(checkState)
  // The folder may have been created again.
  save(sequence, 'lib/part.js', `export const part = ${++saved.part}\n`)
  await eventually(checkState)
  const { pid } = await readState(port)
  await eventually(() => assert.deepEqual(listChildren(parent), [pid]))
  // The first event of a file counts.
  const sameCount = dev.events.filter((event) => event.event === 'save' && event.file === 'same.json').length
  assert.ok(sameCount <= 1, `the app was restarted ${sameCount} times for the same file`)
  const answers = await Promise.all(requests)
  const isCut = dev.events.some(({ event }) => event === 'cut')
  const failed = answers.filter((answer) => answer instanceof Error || ![200, 503].includes(answer.status))
  if (!isCut) assert.deepEqual(failed, [])
  return pid
}
