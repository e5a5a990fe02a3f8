/** Ports, paths and times in the Kubernetes manifests and the image match the app. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { health, Route } from 'verbena'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { IDLE } from '../stack/nginx.js'
import { LIMITS, PORT, POOL, TIMEOUTS } from '../limits.js'

const FOLDER = new URL('../kubernetes/', import.meta.url)

const Probe = z.object({
  httpGet: z.object({ path: z.string(), port: z.string() }),
  periodSeconds: z.int().min(1),
  timeoutSeconds: z.int().default(1),
  failureThreshold: z.int(),
})
const Container = z.object({
  ports: z.tuple([z.object({ name: z.string(), containerPort: z.int() })]),
  startupProbe: Probe,
  readinessProbe: Probe,
  livenessProbe: Probe,
  env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
  lifecycle: z.object({
    preStop: z.object({ exec: z.object({ command: z.tuple([z.literal('sleep'), z.string()]) }) }),
  }),
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
  securityContext: z.object({ readOnlyRootFilesystem: z.literal(true), allowPrivilegeEscalation: z.literal(false) }),
})
const Selector = z.object({ matchLabels: z.object({ app: z.string() }) })
const Deployment = z.object({
  spec: z.object({
    selector: Selector,
    strategy: z.object({ rollingUpdate: z.object({ maxSurge: z.int(), maxUnavailable: z.literal(0) }) }),
    template: z.object({
      metadata: z.object({ labels: z.object({ app: z.string() }), annotations: z.record(z.string(), z.string()) }),
      spec: z.object({
        terminationGracePeriodSeconds: z.int(),
        securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.int() }),
        containers: z.tuple([Container]),
      }),
    }),
  }),
})
const Service = z.object({
  spec: z.object({ selector: z.object({ app: z.string() }), ports: z.tuple([z.object({ targetPort: z.string() })]) }),
})
const Budget = z.object({ spec: z.object({ maxUnavailable: z.int().min(1), selector: Selector }) })
const Autoscaler = z.object({
  spec: z.object({ scaleTargetRef: z.object({ name: z.string() }), minReplicas: z.int(), maxReplicas: z.int() }),
})
const Ingress = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) })
const Named = z.object({ apiVersion: z.string(), kind: z.string(), metadata: z.object({ name: z.string() }) })

/** Returns the only document of a kind in all manifests. */
function manifest<T>(kind: string, schema: z.ZodType<T>): T {
  const documents = readdirSync(FOLDER).flatMap((name) => {
    return parseAllDocuments(readFileSync(new URL(name, FOLDER), 'utf8')).map((document) => {
      assert.deepEqual([...document.errors, ...document.warnings], [], name)
      return document.toJS() as unknown
    })
  })
  for (const document of documents) Named.parse(document)
  const found = documents.filter((document) => Named.parse(document).kind === kind)
  assert.equal(found.length, 1, kind)
  return schema.parse(found[0])
}

const { strategy, template, selector } = manifest('Deployment', Deployment).spec
const [container] = template.spec.containers

describe('the manifests', () => {
  it('names ports and paths of the app', () => {
    const [{ name, containerPort }] = container.ports
    assert.equal(containerPort, PORT)
    const { Livez, Readyz } = health()
    assert.ok(Livez.prototype instanceof Route)
    const [live, ready] = [`/health${Livez.path}`, `/health${Readyz.path}`]
    assert.deepEqual(container.livenessProbe.httpGet, { path: live, port: name })
    assert.deepEqual(container.startupProbe.httpGet, { path: live, port: name })
    assert.deepEqual(container.readinessProbe.httpGet, { path: ready, port: name })
    assert.equal(template.metadata.annotations['prometheus.io/port'], String(PORT))
    assert.equal(manifest('Service', Service).spec.ports[0].targetPort, name)
  })

  it('names the same pods', () => {
    const { app } = template.metadata.labels
    assert.equal(selector.matchLabels.app, app)
    assert.equal(manifest('Service', Service).spec.selector.app, app)
    assert.equal(manifest('PodDisruptionBudget', Budget).spec.selector.matchLabels.app, app)
  })

  it('leaves a pod more time than it needs to end', () => {
    const pause = Number(container.lifecycle.preStop.exec.command[1])
    const { drain, close } = TIMEOUTS
    const needed = pause + (drain + 2 * close) / 1000
    assert.ok(needed < template.spec.terminationGracePeriodSeconds, `${needed} s`)
    assert.ok(TIMEOUTS.handler <= close)
    // Kubernetes notices that the pod is not ready while the pod still responds.
    const { periodSeconds, failureThreshold } = container.readinessProbe
    assert.ok(periodSeconds * failureThreshold <= pause)
  })

  it('stays below the connections of PostgreSQL and the memory of a pod', () => {
    const { minReplicas, maxReplicas } = manifest('HorizontalPodAutoscaler', Autoscaler).spec
    assert.ok(minReplicas >= 2)
    assert.ok((maxReplicas + strategy.rollingUpdate.maxSurge) * POOL < 97)
    const heap = Number(/--max-old-space-size=(\d+)/.exec(valueOf('NODE_OPTIONS'))?.[1])
    assert.equal(heap, (Number.parseInt(container.resources.limits.memory, 10) * 3) / 4)
  })

  it('accepts bodies up to the limit of the app', () => {
    const { annotations } = manifest('Ingress', Ingress).metadata
    assert.equal(annotations['nginx.ingress.kubernetes.io/proxy-body-size'], `${LIMITS.body / 1024}k`)
  })
})

describe('nginx.conf', () => {
  const text = readFileSync(new URL('../stack/nginx.conf', import.meta.url), 'utf8')
  const seconds = (setting: string): number => Number(new RegExp(`^ *${setting} (\\d+)s;`, 'm').exec(text)?.[1])

  it('closes idle connections to the app before the app does', () => {
    assert.ok(IDLE < TIMEOUTS.keepAlive && IDLE < TIMEOUTS.drain)
  })

  it('waits for responses longer than the app needs', () => {
    const heartbeat = 15_000
    assert.ok(seconds('proxy_read_timeout') * 1000 > Math.max(TIMEOUTS.handler, heartbeat))
  })
})

describe('the Containerfile', () => {
  const lines = readFileSync(new URL('../Containerfile', import.meta.url), 'utf8').split('\n')
  const last = (word: string): string =>
    lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? ''

  it('starts Node itself, as the user of the manifests, on their port', () => {
    assert.deepEqual(JSON.parse(last('CMD')), ['node', '--enable-source-maps', 'dist/main.js'])
    assert.equal(last('USER'), String(template.spec.securityContext.runAsUser))
    assert.equal(last('EXPOSE'), String(PORT))
    assert.equal(last('STOPSIGNAL'), 'SIGTERM')
    assert.equal(last('ENV'), 'NODE_ENV=production')
  })

  it('uses one version of Node in all stages', () => {
    const images = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1])
    assert.deepEqual([...new Set(images)], ['node:24-bookworm-slim'])
    assert.equal(images.length, 2)
  })
})

function valueOf(name: string): string {
  return container.env.find((each) => each.name === name)?.value ?? ''
}
