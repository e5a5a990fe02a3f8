/** A PostgreSQL server for a test: in a temporary folder, on a free port of the loopback, gone when the test is over. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Where Debian's packages put each version. */
const DEBIAN = '/usr/lib/postgresql'
const ATTEMPTS = 3

interface Account {
  readonly uid: number
  readonly gid: number
}

/** How a server ends: `fast` breaks its connections off and shuts down in order, `immediate` is a crash. */
export type Ending = 'fast' | 'immediate'

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** A server that can be stopped and started again on its port. */
export class PostgresServer {
  readonly #binaries = findBinaries()
  readonly #account = accountOfServer()
  readonly #folder = mkdtempSync(join(tmpdir(), 'verbena-postgres-'))
  readonly #password = randomBytes(12).toString('hex')
  readonly #abandon = (): void => {
    this.#child?.kill(SIGNALS.immediate)
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 })
  }
  #child: ChildProcess | undefined = undefined
  #port = 0

  /** Makes the data folder. PostgreSQL does not run as root: then the account of Debian's package does it. */
  constructor() {
    process.once('exit', this.#abandon)
    // The runner ends a test so that takes too long; without this there would be no `exit`.
    process.once('SIGTERM', exitNow)
    const passwordFile = join(this.#folder, 'password')
    writeFileSync(passwordFile, this.#password, { mode: 0o600 })
    if (this.#account !== null) {
      for (const path of [this.#folder, passwordFile]) chownSync(path, this.#account.uid, this.#account.gid)
    }
    const args = ['-D', this.#data, '-U', 'tester', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
    const { status, stderr } = spawnSync(join(this.#binaries, 'initdb'), [...args, '-E', 'UTF8', '--locale=C', '-N'], {
      ...this.#setting(),
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`Cannot make a database: ${stderr}`)
  }

  /** What clients connect to. */
  get url(): string {
    return `postgres://tester:${this.#password}@127.0.0.1:${this.#port}/postgres`
  }

  /** The port, once it has started. */
  get port(): number {
    return this.#port
  }

  /** Starts it; the first time on a port that was free a moment ago, then on the same. */
  async start(): Promise<void> {
    if (this.#port > 0) return this.#open(this.#port)
    for (let attempt = 1; this.#port === 0; attempt++) {
      const port = await freePort()
      await this.#open(port).then(
        () => (this.#port = port),
        (error: unknown) => {
          if (attempt === ATTEMPTS) throw error
        },
      )
    }
  }

  async #open(port: number): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'shared_buffers=16MB']
    const args = ['-D', this.#data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
    const child = spawn(join(this.#binaries, 'postgres'), args, this.#setting())
    const said: string[] = []
    const isReady = new Promise<boolean>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', () => resolve(false))
      createInterface({ input: child.stderr }).on('line', (line) => {
        said.push(line)
        if (line.includes('is ready to accept connections')) resolve(true)
      })
    })
    if (!(await isReady)) throw new Error(`Cannot start PostgreSQL: ${said.join('\n')}`)
    this.#child = child
  }

  /** Stops it and waits for its end. */
  async stop(ending: Ending = 'fast'): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(SIGNALS[ending])
    await ended
  }

  /** Stops it and leaves nothing behind. */
  async remove(): Promise<void> {
    await this.stop('immediate')
    process.off('exit', this.#abandon)
    process.off('SIGTERM', exitNow)
    this.#abandon()
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  #setting(): { cwd: string; env: NodeJS.ProcessEnv; stdio: ['ignore', 'ignore', 'pipe'] } & Partial<Account> {
    const env = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
    return { cwd: this.#folder, env, stdio: ['ignore', 'ignore', 'pipe'], ...this.#account }
  }
}

function exitNow(): void {
  process.exit(1)
}

function findBinaries(): string {
  const known = process.env['POSTGRES_BIN'] ?? newestOfDebian()
  if (known !== undefined && existsSync(join(known, 'initdb'))) return known
  const state = known === undefined ? `${DEBIAN} holds no version` : `${known} holds no initdb`
  throw new Error(
    `Cannot find PostgreSQL: ${state}. Install it: apt-get install postgresql. Or name its folder: POSTGRES_BIN`,
  )
}

function newestOfDebian(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : []
  const newest = versions.toSorted((one, other) => Number(other) - Number(one)).at(0)
  return newest === undefined ? undefined : join(DEBIAN, newest, 'bin')
}

/** `null` is who runs the tests. */
function accountOfServer(): Account | null {
  if (process.getuid?.() !== 0) return null
  const numberOf = (flag: string): number => {
    const { status, stdout } = spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' })
    if (status !== 0)
      throw new Error('Cannot run PostgreSQL as root: the user "postgres" is missing. Run the tests as another user')
    return Number(stdout)
  }
  return { uid: numberOf('-u'), gid: numberOf('-g') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('Cannot find a free port')
  return address.port
}
