/** Runs nginx with a configuration that it writes to a folder. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../limits.js'
import { acceptsConnections, freePort } from '../../postgres/test/own-server.js'

/** Path in Debian's package. */
const DEBIAN = '/usr/sbin/nginx'
const TEMPLATE = new URL('nginx.conf', import.meta.url)

/** Time after which nginx closes idle connections to the app, in ms. */
export const IDLE = 1_000

export interface NginxSettings {
  /** Folder for its files. */
  readonly folder: string
  /** Sockets of the processes. */
  readonly sockets: readonly string[]
  /** Port; 0 selects a free one. */
  readonly port: number
}

export class Nginx {
  /** Output of its error log. */
  readonly said: string[] = []
  readonly #binary = findBinary()
  readonly #settings: NginxSettings
  readonly #configure: typeof buildConfiguration
  readonly #abandon = (): void => void this.#child?.kill('SIGKILL')
  #child: ChildProcess | undefined = undefined
  #port = 0

  /** @param configure returns the configuration; default: from `nginx.conf` */
  constructor(settings: NginxSettings, configure: typeof buildConfiguration = buildConfiguration) {
    this.#settings = settings
    this.#configure = configure
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    const { folder, port } = this.#settings
    this.#port = port === 0 ? await freePort() : port
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, this.#configure(this.#settings, this.#port))
    // A separate process group, so that Ctrl+C does not end nginx before its requests are done.
    const child = spawn(this.#binary, ['-p', folder, '-c', file], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => void this.said.push(text))
    this.#child = child
    process.once('exit', this.#abandon)
    const ended = once(child, 'exit').then(() => true)
    while (!(await acceptsConnections(this.#port))) {
      if (await Promise.race([ended, sleep(20, false)])) throw new Error(`Cannot start nginx: ${this.said.join('')}`)
    }
  }

  /** Reloads the configuration with new workers. The old workers complete their requests first. */
  reload(): void {
    this.#child?.kill('SIGHUP')
  }

  /** Stops accepting requests, and ends after the current ones. */
  async stop(signal: NodeJS.Signals = 'SIGQUIT'): Promise<void> {
    const child = this.#child
    this.#child = undefined
    process.off('exit', this.#abandon)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
}

function buildConfiguration({ folder, sockets }: NginxSettings, port: number): string {
  const words: Readonly<Record<string, string | number>> = {
    ...{ folder, port, user: userInfo().username, idle: IDLE, body: LIMITS.body, line: LIMITS.url + 1024 },
    servers: sockets.map((path) => `    server unix:${path} max_fails=1 fail_timeout=1s;`).join('\n'),
  }
  return readFileSync(TEMPLATE, 'utf8').replace(/\{\{(\w+)\}\}/g, (_whole, word: string) => String(words[word]))
}

/** Returns a configuration of one worker with files only in `folder`, and with these directives inside `http`. */
export function singleWorker(folder: string, http: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return `
    daemon off; user ${userInfo().username}; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr warn;
    events {}
    http {
      ${paths.join(' ')} access_log off;
      ${http}
    }`
}

function findBinary(): string {
  const known = process.env['NGINX_BIN'] ?? DEBIAN
  if (existsSync(known)) return known
  throw new Error(
    `Cannot find nginx: there is no ${known}. Install it: apt-get install nginx-light. Or name it: NGINX_BIN`,
  )
}
