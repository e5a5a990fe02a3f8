/** Hono on its Node server: requests validated with zod by its own validator, async handlers, default options. */
import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import * as z from 'zod'
import { ITEMS, RESOURCES, STATUS, USER_ID } from '../data.mjs'
import { Items, NewUser } from '../schemas.mjs'
import { count } from '../steps.mjs'

const Page = z.object({ limit: z.coerce.number().int().min(1).max(100).default(10), tag: z.string() })

const apps = { small, many, layered }

/** Starts one of the apps on a free port. */
export function start(app) {
  const { fetch } = apps[app](new Hono())
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

function addStatus(app) {
  return app.get('/status', async (c) => c.json(STATUS))
}
