/** Hono on its Node server: requests validated with zod by Hono's validator, async handlers, default options. */
import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import * as z from 'zod'
import { createEvent, createReceipt, EVENT_COUNT, ITEMS, RESOURCES, STATUS, USER_ID } from '../data.mjs'
import { createFileRoot } from '../file-root.mjs'
import { Items, NewUser } from '../schemas.mjs'
import { count } from '../steps.mjs'

const Page = z.object({ limit: z.coerce.number().int().min(1).max(100).default(10), tag: z.string() })

const apps = { small, many, layered, feed, upload, files }

/** Starts one of the apps on a free port. */
export async function start(app) {
  const { fetch } = await apps[app](new Hono())
  return new Promise((resolve) => serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port)))
}

function small(app) {
  const isValidated = process.env['VALIDATE_RESPONSES'] === 'true'
  return addStatus(app)
    .get('/items', async (c) => c.json(isValidated ? Items.parse(ITEMS) : ITEMS))
    .post('/users', zValidator('json', NewUser), async (c) => c.json({ id: USER_ID, ...c.req.valid('json') }, 201))
    .get('/users/:user/posts', zValidator('query', Page), async (c) => {
      const { limit, tag } = c.req.valid('query')
      return c.json({ user: c.req.param('user'), limit, tag })
    })
}

function many(app) {
  for (const [number, path] of RESOURCES.entries()) {
    app.get(`${path}/:id`, async (c) => c.json({ resource: number, id: c.req.param('id') }))
  }
  return app
}

function layered(app) {
  for (let layer = 0; layer < 5; layer++) {
    app.use(async (_, next) => {
      count()
      await next()
    })
  }
  return addStatus(app)
}

async function feed(app) {
  const { streamSSE } = await import('hono/streaming')
  return app.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      for (let index = 0; index < EVENT_COUNT; index++) {
        await stream.writeSSE({ data: JSON.stringify(createEvent(index)) })
      }
    }),
  )
}

function upload(app) {
  return app.post('/images', async (c) => {
    const { title, year, image } = await c.req.parseBody()
    return c.json(createReceipt({ title, year }, image.name, new Uint8Array(await image.arrayBuffer())), 201)
  })
}

async function files(app) {
  const { serveStatic } = await import('@hono/node-server/serve-static')
  const rewriteRequestPath = (path) => path.slice('/assets'.length)
  const root = createFileRoot()
  return app.get('/assets/*', serveStatic({ root, rewriteRequestPath, precompressed: true }))
}

function addStatus(app) {
  return app.get('/status', async (c) => c.json(STATUS))
}
