/** A PostgreSQL server for a test, in a temporary folder and on a free port of 127.0.0.1. */
import { spawnSync, type SpawnOptions } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OwnServer, type ServerSettings } from './own-server.js'

/** Folder of the versions in Debian's packages. */
const DEBIAN = '/usr/lib/postgresql'

interface Account {
  readonly uid: number
  readonly gid: number
}

/** Ends of a server: `fast` closes its connections and shuts down cleanly, `immediate` is a crash. */
export type Ending = 'fast' | 'immediate'

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** A server that can be stopped and restarted on the same port. */
export class PostgresServer {
  readonly #binaries = findBinaries()
  readonly #account = accountOfServer()
  readonly #password = randomBytes(12).toString('hex')
  readonly #own: OwnServer

  /** Creates the data folder. PostgreSQL does not run as root, so it uses the account of Debian's package then. */
  constructor(settings: ServerSettings = {}) {
    const path = join(this.#binaries, 'postgres')
    const ready = 'is ready to accept connections'
    this.#own = new OwnServer({ name: 'PostgreSQL', path, ready, crash: SIGNALS.immediate }, settings)
    const { folder } = this.#own
    const passwordFile = join(folder, 'password')
    writeFileSync(passwordFile, this.#password, { mode: 0o600 })
    if (this.#account !== null) {
      for (const each of [folder, passwordFile]) chownSync(each, this.#account.uid, this.#account.gid)
    }
    const args = ['-D', this.#data, '-U', 'tester', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
    const { status, stderr } = spawnSync(join(this.#binaries, 'initdb'), [...args, '-E', 'UTF8', '--locale=C', '-N'], {
      ...this.#setting(),
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`Cannot make a database: ${stderr}`)
  }

  /** URL for clients. */
  get url(): string {
    return `postgres://tester:${this.#password}@127.0.0.1:${this.port}/postgres`
  }

  /** The port; 0 before the first start. */
  get port(): number {
    return this.#own.port
  }

  /** Starts the server: first on a free port, later on the same port. */
  start(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'shared_buffers=16MB']
    const shared = ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])]
    return this.#own.start((port) => [...shared, '-p', String(port)], this.#setting())
  }

  /** Stops the server, and waits for its end. */
  stop(ending: Ending = 'fast'): Promise<void> {
    return this.#own.stop(SIGNALS[ending])
  }

  /** Stops the server, and removes its folder. */
  remove(): Promise<void> {
    return this.#own.remove()
  }

  get #data(): string {
    return join(this.#own.folder, 'data')
  }

  #setting(): SpawnOptions {
    return { ...this.#own.setting, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }, ...this.#account }
  }
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

/** Returns the account that runs the server; `null` for the current user. */
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
