/** Task pages with Redis, nginx and Kubernetes. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir, userInfo } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { EXAMPLE_PAGES, readPage, RunningPage } from '../../../test/support/how-to.js'
import { testPages, type UsedServer } from '../../../test/support/how-to-tests.js'
import { Nginx } from '../stack/nginx.js'
import { startRedis } from './redis-server.js'
import { ask, until } from './support.js'

const FOLDER = join('.cache', 'how-to')
const DEPLOY = 'deploy-behind-nginx'
const RESTART = 'restart-without-losing-requests'
/** Group of the workers of nginx in Debian. */
const NGINX_GROUP = 33

testPages(EXAMPLE_PAGES.scale, {
  folder: FOLDER,
  project: 'tsconfig.json',
  servers: { 'use-redis': startRedis, [DEPLOY]: startNginx, [RESTART]: startNginx },
})

/** Starts nginx as root or as this user, with the configuration of the page, which belongs into the context `http`. */
async function startNginx(): Promise<UsedServer & { readonly url: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'verbena_how_to_'))
  const sockets = createSocketFolder()
  const page = readPage(DEPLOY).files.get('/etc/nginx/conf.d/app.conf') ?? ''
  const nginx = new Nginx({ folder, sockets: [], port: 0 }, (_settings, port) => {
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    )
    const user = userInfo().uid === 0 ? 'www-data' : userInfo().username
    const shared = `daemon off; user ${user}; pid ${folder}/nginx.pid; error_log stderr warn; events {}`
    const text = page.replaceAll('8080', String(port)).replaceAll('/run/shop', sockets)
    return `${shared} http { ${paths.join(' ')} access_log off; ${text} }`
  })
  await nginx.start()
  const close = async (): Promise<void> => {
    await nginx.stop('SIGTERM')
    for (const path of [folder, sockets]) rmSync(path, { recursive: true })
    assert.deepEqual(nginx.said, [])
  }
  return { url: nginx.url, words: { 8080: new URL(nginx.url).port, run: 'tmp', shop: basename(sockets) }, close }
}

/** Creates the folder of the sockets, as the page says. Other users than root are nginx themselves. */
function createSocketFolder(): string {
  const folder = mkdtempSync('/tmp/verbena_sockets_')
  if (userInfo().uid === 0) chownSync(folder, 0, NGINX_GROUP)
  chmodSync(folder, 0o750)
  return folder
}

describe(`docs/how-to/${RESTART}.md`, () => {
  it('replaces all processes under load, and loses no request', async () => {
    const nginx = await startNginx()
    try {
      const parent = resolve(FOLDER, `${process.pid}-load`)
      await using fleet = await RunningPage.create(RESTART, parent, nginx.words)
      await fleet.runAll()
      const stopped = new AbortController()
      const clients = Array.from({ length: 12 }, (_, index) => send(nginx.url, index % 2 === 0, stopped.signal))
      for (let round = 1; round <= 2; round++) {
        await sleep(1_000)
        fleet.signal('SIGHUP')
        await sleep(8_000)
      }
      stopped.abort()
      const statuses = (await Promise.all(clients)).flat()
      rmSync(parent, { recursive: true })
      // Two processes, and two more in each round.
      assert.equal(fleet.output.match(/^Listening on/gm)?.length, 6)
      assert.ok(statuses.length > 1_000, String(statuses.length))
      assert.deepEqual(new Set(statuses), new Set(['GET 200', 'POST 405']))
    } finally {
      await nginx.close()
    }
  })

  it('starts a process again that was killed', async () => {
    const nginx = await startNginx()
    try {
      const parent = resolve(FOLDER, `${process.pid}-killed`)
      await using fleet = await RunningPage.create(RESTART, parent, nginx.words)
      await fleet.runAll()
      const [pid = 0] = fleet.pids
      const [child = 0] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number)
      process.kill(child, 'SIGKILL')
      await until(() => fleet.output.match(/^Listening on/gm)?.length === 3, 'a third process listens')
      const { status } = await ask(nginx.url, '/address')
      assert.equal(status, 200)
      rmSync(parent, { recursive: true })
    } finally {
      await nginx.close()
    }
  })

  it('describes a unit that systemd accepts', { skip: !existsSync('/usr/bin/systemd-analyze') }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'verbena-unit-'))
    const path = join(folder, 'shop.service')
    writeFileSync(path, readPage(RESTART).files.get('/etc/systemd/system/shop.service') ?? '')
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    assert.deepEqual([status, stderr], [0, ''])
  })
})

/** Sends requests over one connection until the signal is aborted. Returns their methods and statuses. */
async function send(url: string, isGet: boolean, signal: AbortSignal): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const statuses: string[] = []
  const method = isGet ? 'GET' : 'POST'
  while (!signal.aborted) {
    const { status } = await ask(url, '/address', { agent, method })
    statuses.push(`${method} ${status}`)
    await sleep(Math.random() * 10)
  }
  agent.destroy()
  return statuses
}

const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) })
const Deployment = z.object({
  spec: z.object({
    selector: z.object({ matchLabels: z.object({ app: z.string() }) }),
    template: z.object({
      metadata: z.object({ labels: z.object({ app: z.string() }) }),
      spec: z.object({
        terminationGracePeriodSeconds: z.int(),
        containers: z.tuple([
          z.object({
            ports: z.tuple([z.object({ name: z.string(), containerPort: z.int() })]),
            startupProbe: Probe,
            readinessProbe: Probe,
            livenessProbe: Probe,
            lifecycle: z.object({ preStop: z.object({ exec: z.object({ command: z.array(z.string()) }) }) }),
          }),
        ]),
      }),
    }),
  }),
})
const Service = z.object({
  spec: z.object({ selector: z.object({ app: z.string() }), ports: z.tuple([z.object({ targetPort: z.string() })]) }),
})

describe('docs/how-to/run-on-kubernetes.md', () => {
  const { files, remaining } = readPage('run-on-kubernetes')
  const code = files.get('src/app.ts') ?? ''
  const port = /PORT: .*\.default\((\d+)\)/.exec(remaining.get('src/server.ts') ?? '')?.[1]
  const milliseconds = (name: string): number =>
    Number(new RegExp(`${name}: ([\\d_]+)`).exec(code)?.[1]?.replaceAll('_', ''))
  const [first, second] = parseAllDocuments(files.get('kubernetes.yaml') ?? '').map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [])
    return document.toJS() as unknown
  })
  const { selector, template } = Deployment.parse(first).spec
  const service = Service.parse(second).spec
  const [container] = template.spec.containers

  it('names the port and the paths of the app', () => {
    const [{ name, containerPort }] = container.ports
    assert.equal(containerPort, Number(port))
    assert.deepEqual(container.startupProbe.httpGet, { path: '/internal/livez', port: name })
    assert.deepEqual(container.livenessProbe.httpGet, { path: '/internal/livez', port: name })
    assert.deepEqual(container.readinessProbe.httpGet, { path: '/internal/readyz', port: name })
    assert.equal(service.ports[0].targetPort, name)
  })

  it('names the same pods', () => {
    const { app } = template.metadata.labels
    assert.deepEqual([selector.matchLabels.app, service.selector.app], [app, app])
  })

  it('leaves enough time to end', () => {
    const pause = Number(container.lifecycle.preStop.exec.command[1])
    const needed = pause + (milliseconds('drain') + 2 * milliseconds('close')) / 1000
    assert.ok(needed < template.spec.terminationGracePeriodSeconds, `${needed} s`)
  })
})
