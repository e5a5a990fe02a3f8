/** Task pages with Redis, nginx and Kubernetes. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { EXAMPLE_PAGES, findFreePort, readPage } from '../../../test/support/how-to.js'
import { testPages, type UsedServer } from '../../../test/support/how-to-tests.js'
import { Nginx } from '../stack/nginx.js'
import { RedisServer } from './redis-server.js'

testPages(EXAMPLE_PAGES.scale, {
  folder: join('.cache', 'how-to'),
  project: 'tsconfig.json',
  servers: { 'use-redis': startRedis, 'deploy-behind-nginx': startNginx },
})

async function startRedis(): Promise<UsedServer> {
  const server = new RedisServer()
  await server.start()
  return { words: { 6379: String(server.port) }, close: () => server.remove() }
}

/** Starts nginx with the configuration of the page, which belongs into the context `http`. */
async function startNginx(): Promise<UsedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'verbena-how-to-'))
  const app = await findFreePort()
  const page = readPage('deploy-behind-nginx').files.get('/etc/nginx/conf.d/app.conf') ?? ''
  const nginx = new Nginx({ folder, sockets: [], port: 0 }, (_settings, port) => {
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    )
    const shared = `daemon off; user ${userInfo().username}; pid ${folder}/nginx.pid; error_log stderr warn; events {}`
    const text = page.replaceAll('8080', String(port)).replaceAll('3000', String(app))
    return `${shared} http { ${paths.join(' ')} access_log off; ${text} }`
  })
  await nginx.start()
  const close = async (): Promise<void> => {
    await nginx.stop('SIGTERM')
    rmSync(folder, { recursive: true })
  }
  return { words: { 3000: String(app), 8080: new URL(nginx.url).port }, close }
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
  const { files } = readPage('run-on-kubernetes')
  const code = files.get('src/server.ts') ?? ''
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
    assert.equal(containerPort, milliseconds('port'))
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
