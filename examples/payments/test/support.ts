/** Helpers of the tests: processes that can be killed, a database, and clients that retry. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import pg from 'pg'
import { PostgresServer } from '../../postgres/test/postgres-server.js'
import { digestToken, SCHEMA } from '../accounts.js'

/** Generous, because a machine with other work can take seconds to start a process. */
const PATIENCE = 90_000

const FOLDER = fileURLToPath(new URL('..', import.meta.url))

export const SECRET = `whsec_${Buffer.alloc(32, 'secret').toString('base64')}`

const bundles = new Map<string, Promise<string>>()

/** Returns the path of a program as one file of JavaScript, because a hundred processes start five times as fast with it. */
function getOrCreateBundle(file: string): Promise<string> {
  const bundle = bundles.get(file) ?? createBundle(file)
  bundles.set(file, bundle)
  return bundle
}

async function createBundle(file: string): Promise<string> {
  // Inside of the folder of the example, so that the process finds its packages.
  const outfile = join(FOLDER, '.cache', `${basename(file, '.ts')}-${process.pid}.mjs`)
  process.once('exit', () => rmSync(outfile, { force: true }))
  await build({
    ...{ entryPoints: [file], outfile, bundle: true, sourcemap: 'inline' },
    ...{ platform: 'node', format: 'esm', target: 'node20', external: ['pg', 'zod'], logLevel: 'error' },
  })
  return outfile
}

/** A program in a process that can be killed and restarted. */
export class Program {
  static readonly #running = new Set<ChildProcess>()
  readonly #file: string
  readonly #env: Readonly<Record<string, string>>
  #child: ChildProcess | undefined = undefined
  #url = ''

  /**
   * @param file path from the folder of the example
   * @param env environment variables; without `PORT`, the program uses a free port
   */
  constructor(file: string, env: Readonly<Record<string, string>>) {
    this.#file = join(FOLDER, file)
    this.#env = env
  }

  /** Address of the running program. It changes if the environment has no `PORT`. */
  get url(): string {
    return this.#url
  }

  /** Starts the program; returns the first lines that it prints, of which the last contains its URL. */
  async start(): Promise<readonly string[]> {
    const bundle = await getOrCreateBundle(this.#file)
    const env = { PATH: process.env['PATH'], NODE_ENV: 'production', PORT: '0', ...this.#env }
    const stdio = ['ignore', 'pipe', 'pipe'] as const
    const child = spawn(process.execPath, ['--enable-source-maps', bundle], { env, stdio: [...stdio] })
    if (Program.#running.size === 0) process.once('exit', killAll)
    Program.#running.add(child)
    child.once('exit', () => Program.#running.delete(child))
    this.#child = child
    const lines: string[] = []
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`Cannot start ${this.#file}: ${lines.join('\n')}`)))
      for (const stream of [child.stdout, child.stderr]) {
        assert.ok(stream !== null)
        createInterface({ input: stream }).on('line', (line) => {
          if (this.#url === '' || lines.length < 20) lines.push(line)
          const [found] = /http:\/\/\S+$/.exec(line) ?? []
          if (found !== undefined) resolve(found)
        })
      }
    })
    this.#url = url
    return lines
  }

  /** Kills the process with SIGKILL, and waits for its end. */
  kill(): Promise<NodeJS.Signals | null> {
    this.#child?.kill('SIGKILL')
    return this.end()
  }

  /** Asks the process to end, and waits until it has. */
  async stop(): Promise<NodeJS.Signals | null> {
    this.#child?.kill('SIGTERM')
    return this.end()
  }

  /** Waits for the end of the process; returns the signal that ended it. */
  async end(): Promise<NodeJS.Signals | null> {
    const child = this.#child
    if (child === undefined) return null
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    return child.signalCode
  }

  static killAll(): void {
    for (const child of Program.#running) child.kill('SIGKILL')
  }
}

function killAll(): void {
  Program.killAll()
}

/** A server with the tables of the payments app, and a client for the test. */
export interface TestDatabase {
  readonly server: PostgresServer
  readonly control: pg.Pool
}

/** Starts a database with accounts from id 1, whose tokens are `token 1`, `token 2` and so on. */
export async function startDatabase(accounts: number, balance: number): Promise<TestDatabase> {
  const server = new PostgresServer()
  try {
    await server.start()
    const control = new pg.Pool({ connectionString: server.url, max: 4 })
    control.on('error', () => {})
    await control.query(SCHEMA)
    for (let id = 1; id <= accounts; id++) {
      const insert = 'insert into accounts (token_digest, balance) values ($1, $2)'
      await control.query(insert, [digestToken(tokenFor(id)), balance])
    }
    return { server, control }
  } catch (error) {
    await server.remove()
    throw error
  }
}

export async function removeDatabase({ server, control }: TestDatabase): Promise<void> {
  await control.end()
  await server.remove()
}

export function tokenFor(account: number): string {
  return `token-${account}`
}

/** A payment of one client, who sends it with the same key until it is made. */
export interface Order {
  readonly source: number
  readonly target: number
  readonly cents: number
  readonly key: string
}

/** Response to a payment. */
export interface PaymentResponse {
  readonly status: number
  readonly body: string
  readonly isReplayed: boolean
}

/** Sends a payment once. Rejects if the connection breaks. */
export async function sendPayment(
  url: string,
  { source, target, cents, key }: Order,
  headers: Readonly<Record<string, string>> = {},
): Promise<PaymentResponse> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenFor(source)}`,
      'content-type': 'application/json',
      'idempotency-key': `"${key}"`,
      ...headers,
    },
    body: JSON.stringify({ target, cents }),
    signal: AbortSignal.timeout(PATIENCE),
  })
  const isReplayed = response.headers.get('idempotent-replayed') === 'true'
  return { status: response.status, body: await response.text(), isReplayed }
}

/**
 * Sends a payment until the response is 201. Retries after a broken connection, a 409 or a 5xx; any other response fails.
 *
 * @param nextUrl returns the URL of the next attempt
 */
export async function payUntilMade(nextUrl: () => string, order: Order): Promise<PaymentResponse> {
  const deadline = Date.now() + PATIENCE
  let last = 'no response'
  while (Date.now() < deadline) {
    const response = await sendPayment(nextUrl(), order).catch((error: unknown) => String(error))
    if (typeof response !== 'string') {
      if (response.status === 201) return response
      assert.ok(response.status === 409 || response.status >= 500, `${response.status} ${response.body}`)
      last = response.body
    } else last = response
    await sleep(50)
  }
  throw new Error(`The payment ${order.key} was not made: ${last}`)
}

/** Waits until a condition is true; fails after 90 s. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + PATIENCE
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `Timed out while waiting until ${what}`)
    await sleep(20)
  }
}

/** Returns random numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
