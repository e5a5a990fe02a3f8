/** The queue, the worker and the board of the task page. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import { createApp, service, type App } from 'verbena'
import { RedisServer } from '../../scale/test/redis-server.js'
import { importApp } from './page-app.js'
import { until } from './until.js'

const PASSWORD = { authorization: `Basic ${Buffer.from('grace:correct horse').toString('base64')}` }
const JSON_TYPE = { 'content-type': 'application/json' }

describe('a board of BullMQ by mount', () => {
  const redis = new RedisServer()
  let app: App
  let url: string

  before(async () => {
    await redis.start()
    process.env['REDIS_URL'] = redis.url
    app = await importApp('show-bullmq-board')
    url = (await app.listen()).url
  })
  after(async () => {
    await app.close()
    await redis.remove()
  })

  const add = (to: string) =>
    fetch(`${url}/mails`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ to }) })

  async function countCompleted(): Promise<number> {
    const response = await fetch(`${url}/board/api/queues`, { headers: PASSWORD })
    return Object(await response.json()).queues[0].counts.completed
  }

  it('shows a job that a route has added, after the worker has processed it', async () => {
    const response = await add('ada@example.com')
    assert.equal(response.status, 202)
    await until(async () => (await countCompleted()) > 0, 50)
  })

  it('has a page, scripts and a password', async () => {
    const open = await fetch(`${url}/board`)
    assert.deepEqual([open.status, open.headers.get('www-authenticate')?.split(' ', 1)[0]], [401, 'Basic'])
    const page = await fetch(`${url}/board`, { headers: PASSWORD })
    const html = await page.text()
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=UTF-8'])
    const base = /<base href="(?<path>[^"]+)"/.exec(html)?.groups?.['path']
    const script = /<script[^>]* src="(?<path>[^"]+)"/.exec(html)?.groups?.['path']
    const asset = new URL(script ?? '', new URL(base ?? '', url))
    const denied = await fetch(asset)
    assert.equal(denied.status, 401)
    const loaded = await fetch(asset, { headers: PASSWORD })
    assert.deepEqual([loaded.status, loaded.headers.get('content-type')], [200, 'text/javascript; charset=utf-8'])
    assert.equal((await loaded.arrayBuffer()).byteLength, Number(loaded.headers.get('content-length')))
  })

  it('rejects requests of other sites that change jobs', async () => {
    const clean = `${url}/board/api/queues/mails/clean/completed`
    const put = (site: string) => fetch(clean, { method: 'PUT', headers: { ...PASSWORD, 'sec-fetch-site': site } })
    assert.equal((await put('cross-site')).status, 403)
    assert.equal((await put('same-site')).status, 403)
    assert.ok((await countCompleted()) > 0)
    assert.equal((await put('same-origin')).status, 200)
  })

  it('fails immediately while Redis is unavailable, and works afterwards', async () => {
    await redis.stop()
    const began = Date.now()
    assert.equal((await add('ada@example.com')).status, 500)
    assert.ok(Date.now() - began < 1_000)
    await redis.start()
    await until(async () => (await add('ben@example.com')).status === 202, 200)
    await until(async () => (await countCompleted()) > 0, 50)
  })
})

describe('a worker of BullMQ as a service', () => {
  const redis = new RedisServer()

  before(() => redis.start())
  after(() => redis.remove())

  it('finishes its job when the app closes', async () => {
    const connection = { url: redis.url, maxRetriesPerRequest: null }
    let isDone = false
    let onStart = (): void => {}
    const started = new Promise<void>((resolve) => (onStart = resolve))
    const work = async (): Promise<void> => {
      onStart()
      await sleep(200)
      isDone = true
    }
    const app = createApp({
      routes: {},
      services: {
        worker: service(() => new Worker('teas', work, { connection }), { close: (worker) => worker.close() }),
      },
      logger: false,
    })
    await app.start()
    const queue = new Queue('teas', { connection })
    const job = await queue.add('tea', {})
    await started
    await app.close()
    assert.ok(isDone)
    assert.equal(await job.isCompleted(), true)
    await queue.close()
  })
})
