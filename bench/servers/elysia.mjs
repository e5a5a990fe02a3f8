/** Elysia on Node.js, with its adapter: requests validated with its own schemas, async handlers, default options. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { node } from '@elysiajs/node'
import { Elysia, t } from 'elysia'
import { ITEMS, RESOURCES, STATUS, USER_ID } from '../data.mjs'
import { count } from '../steps.mjs'

const NewUser = t.Object({
  name: t.String({ minLength: 1, maxLength: 50 }),
  email: t.String({ minLength: 3, maxLength: 100 }),
  age: t.Integer({ minimum: 0 }),
  tags: t.Array(t.String()),
})
const Page = t.Object({ limit: t.Integer({ minimum: 1, maximum: 100, default: 10 }), tag: t.String() })

const apps = { small, many, layered }

/** Starts one of the apps on a free port. The adapter does not report the port that the system chooses for port 0, and calls back early. */
export async function start(app) {
  const port = await findFreePort()
  const { raw } = await new Promise((resolve) => {
    apps[app](new Elysia({ adapter: node() })).listen({ port, hostname: '127.0.0.1' }, resolve)
  })
  await raw.ready()
  return port
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

function small(app) {
  return addStatus(app)
    .get('/items', async () => ITEMS)
    .post('/users', async ({ body, status }) => status(201, { id: USER_ID, ...body }), { body: NewUser })
    .get('/users/:user/posts', async ({ params, query }) => ({ user: params.user, ...query }), { query: Page })
}

function many(app) {
  for (const [number, path] of RESOURCES.entries()) {
    app.get(`${path}/:id`, async ({ params }) => ({ resource: number, id: params.id }))
  }
  return app
}

function layered(app) {
  for (let layer = 0; layer < 5; layer++) app.onBeforeHandle(async () => void count())
  return addStatus(app)
}

function addStatus(app) {
  return app.get('/status', async () => STATUS)
}
