/** The proxies: the program in Debian's package, and the shortest configuration for one app on this machine. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptsConnections, freePort } from '../postgres/test/own-server.js'

/** Values that a configuration contains. */
interface Place {
  /** Folder for files of the proxy. */
  readonly folder: string
  /** Port of the proxy. */
  readonly port: number
  /** Port of the app. */
  readonly app: number
  /** Whether the proxy compresses JSON and event streams. */
  readonly compresses: boolean
  /** Whether the proxy stores responses that allow it. */
  readonly caches: boolean
  /** Further lines of the configuration. */
  readonly settings: string
}

/** Differences from the shortest configuration. */
export type Setup = Partial<Pick<Place, 'compresses' | 'caches' | 'settings'>>

export interface Program {
  /** Path of the program in Debian's package. */
  readonly path: string
  /** Debian's package. */
  readonly package: string
  /** Whether it is also tested with compression. */
  readonly canCompress: boolean
  /** Whether it has a cache for responses of apps. */
  readonly canCache: boolean
  readonly configure: (place: Place) => string
  /** Arguments for a configuration file. */
  readonly start: (file: string, place: Place) => readonly string[]
}

/** A line of a configuration, or nothing. */
const when = (condition: boolean, text: string): string => (condition ? text : '')
const isRoot = userInfo().uid === 0

const nginx: Program = {
  path: '/usr/sbin/nginx',
  package: 'nginx-light',
  canCompress: true,
  canCache: true,
  configure: ({ folder, port, app, compresses, caches, settings }) => `
daemon off;
pid ${folder}/nginx.pid;
error_log stderr crit;
${when(isRoot, 'user root;')}
events { worker_connections 256; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${when(caches, `proxy_cache_path ${folder}/cache keys_zone=responses:1m; proxy_cache responses;`)}
  upstream app { server 127.0.0.1:${app}; keepalive 8; }
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 64m;
    ${when(compresses, 'gzip on; gzip_types application/json text/event-stream; gzip_min_length 0; gzip_proxied any;')}
    location / {
      ${settings}
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header Host $http_host;
    }
  }
}
`,
  start: (file, { folder }) => ['-p', folder, '-c', file],
}

/** nginx without `proxy_http_version`, which is 1.0 by default. */
const nginxOld: Program = {
  ...nginx,
  configure: (place) =>
    nginx
      .configure(place)
      .split('\n')
      .filter((line) => !/proxy_http_version|proxy_set_header (?:Upgrade|Connection)/.test(line))
      .join('\n'),
}

const haproxy: Program = {
  path: '/usr/sbin/haproxy',
  package: 'haproxy',
  canCompress: true,
  canCache: true,
  configure: ({ port, app, compresses, caches }) => `
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend clients
  bind 127.0.0.1:${port}
  default_backend app
${when(caches, 'cache responses\n  total-max-size 4')}
backend app
  ${when(caches, 'http-request cache-use responses\n  http-response cache-store responses')}
  ${when(compresses, 'compression algo gzip\n  compression type application/json text/event-stream')}
  server one 127.0.0.1:${app}
`,
  start: (file) => ['-db', '-q', '-f', file],
}

/** HAProxy with an option to notice disconnected clients, and one to send events immediately. */
const haproxyTuned: Program = {
  ...haproxy,
  configure: (place) =>
    haproxy.configure(place).replace('  mode http\n', '  mode http\n  option abortonclose\n  option http-no-delay\n'),
}

const varnish: Program = {
  path: '/usr/sbin/varnishd',
  package: 'varnish',
  canCompress: true,
  canCache: true,
  configure: ({ app, compresses, settings }) => `
vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "${app}"; }
sub vcl_recv { if (req.http.upgrade ~ "(?i)websocket") { return (pipe); } }
sub vcl_pipe { if (req.http.upgrade) { set bereq.http.upgrade = req.http.upgrade; set bereq.http.connection = req.http.connection; } }
${when(compresses, 'sub vcl_backend_response { set beresp.do_gzip = true; }')}
${settings}
`,
  start: (file, { folder, port }) => [
    ...['-j', 'none', '-F', '-n', join(folder, 'work'), '-p', 'vsl_space=1M'],
    ...['-a', `127.0.0.1:${port}`, '-f', file],
  ],
}

const modules = [
  ...['mpm_event', 'authz_core', 'allowmethods', 'proxy', 'proxy_http', 'proxy_wstunnel', 'filter', 'deflate'],
  ...['cache', 'cache_disk'],
]
const apache: Program = {
  path: '/usr/sbin/apache2',
  package: 'apache2',
  canCompress: true,
  canCache: true,
  configure: ({ folder, port, app, compresses, caches, settings }) => `
ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
${when(isRoot, 'User www-data\nGroup www-data')}
ProxyPass / http://127.0.0.1:${app}/ upgrade=websocket
${when(compresses, 'AddOutputFilterByType DEFLATE application/json text/event-stream')}
${when(caches, `CacheRoot ${folder}\nCacheEnable disk /`)}
${settings}
`,
  start: (file) => ['-DFOREGROUND', '-f', file],
}

const lighttpd: Program = {
  path: '/usr/sbin/lighttpd',
  package: 'lighttpd',
  canCompress: false,
  canCache: false,
  configure: ({ folder, port, app }) => `
server.modules = ("mod_proxy")
server.document-root = "${folder}"
server.bind = "127.0.0.1"
server.port = ${port}
server.errorlog = "${folder}/error.log"
proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${app})))
proxy.header = ("upgrade" => "enable")
`,
  start: (file) => ['-D', '-f', file],
}

/** lighttpd with the setting to send a response while it arrives. */
const lighttpdStreams: Program = {
  ...lighttpd,
  configure: (place) => `${lighttpd.configure(place)}server.stream-response-body = 1\n`,
}

const squid: Program = {
  path: '/usr/sbin/squid',
  package: 'squid',
  canCompress: false,
  canCache: true,
  configure: ({ folder, port, app }) => `
http_port 127.0.0.1:${port} accel defaultsite=localhost
cache_peer 127.0.0.1 parent ${app} 0 no-query originserver name=app
http_access allow all
pid_filename ${folder}/squid.pid
cache_log ${folder}/cache.log
access_log none
coredump_dir ${folder}
shutdown_lifetime 0 seconds
icp_port 0
snmp_port 0
pinger_enable off
`,
  start: (file) => ['-N', '-f', file],
}

const caddy: Program = {
  path: '/usr/bin/caddy',
  package: 'caddy',
  canCompress: true,
  canCache: false,
  configure: ({ port, app, compresses }) => `
{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  ${when(compresses, 'encode gzip')}
  reverse_proxy 127.0.0.1:${app}
}
`,
  start: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
}

const h2o: Program = {
  path: '/usr/bin/h2o',
  package: 'h2o',
  canCompress: true,
  canCache: false,
  configure: ({ folder, port, app, compresses }) => `
listen:
  host: 127.0.0.1
  port: ${port}
pid-file: ${folder}/h2o.pid
error-log: ${folder}/error.log
num-threads: 1
${when(isRoot, 'user: root')}
proxy.preserve-host: ON
proxy.websocket: ON
hosts:
  default:
    ${when(compresses, 'compress: [gzip]')}
    paths:
      /:
        proxy.reverse.url: http://127.0.0.1:${app}/
`,
  start: (file) => ['-m', 'worker', '-c', file],
}

const nghttpx: Program = {
  path: '/usr/sbin/nghttpx',
  package: 'nghttp2-proxy',
  canCompress: false,
  canCache: false,
  configure: ({ port, app }) => `
frontend=127.0.0.1,${port};no-tls
backend=127.0.0.1,${app}
workers=1
errorlog-file=/dev/null
`,
  start: (file) => [`--conf=${file}`],
}

/** Maps names in the tables of the guide to programs. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  ...{ nginx, 'nginx over HTTP/1.0': nginxOld, HAProxy: haproxy, 'HAProxy with both options': haproxyTuned },
  ...{ Apache: apache, Caddy: caddy, h2o, lighttpd, 'lighttpd, streaming': lighttpdStreams, nghttpx },
  ...{ Squid: squid, Varnish: varnish },
}

export function isInstalled({ path }: Program): boolean {
  return existsSync(path)
}

/** A running proxy. */
export class Proxy {
  readonly folder = mkdtempSync(join(tmpdir(), 'verbena-proxy-'))
  port = 0
  readonly #name: string
  readonly #program: Program
  readonly #abandon = (): void => {
    if (this.#child?.pid !== undefined && this.#child.exitCode === null) process.kill(-this.#child.pid, 'SIGKILL')
  }
  #child: ChildProcess | undefined = undefined
  #output = ''

  constructor(name: string, program: Program) {
    this.#name = name
    this.#program = program
  }

  /** @param app port of the app */
  async start(app: number, { compresses = false, caches = false, settings = '' }: Setup = {}): Promise<void> {
    chmodSync(this.folder, 0o777) // Some of them change their user.
    this.port = await freePort()
    const place = { folder: this.folder, port: this.port, app, compresses, caches, settings }
    const file = join(this.folder, 'proxy.conf')
    writeFileSync(file, this.#program.configure(place))
    const child = spawn(this.#program.path, this.#program.start(file, place), {
      cwd: this.folder,
      detached: true, // A separate process group, because some of them start further processes.
      env: { PATH: process.env['PATH'], HOME: this.folder, XDG_DATA_HOME: this.folder, XDG_CONFIG_HOME: this.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    process.once('exit', this.#abandon)
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output = `${this.#output}${text}`.slice(-4000)))
    }
    const hasEnded = once(child, 'exit').then(() => true)
    while (!(await acceptsConnections(this.port))) {
      if (await Promise.race([hasEnded, sleep(20, false)])) {
        throw new Error(`Cannot start ${this.#name}: ${this.#output}`)
      }
    }
  }

  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    process.off('exit', this.#abandon)
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const end = once(child, 'exit')
      process.kill(-child.pid, 'SIGKILL')
      await end
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
