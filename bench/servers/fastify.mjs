/** Fastify, according to its guide: JSON Schema for requests and responses, async handlers, default options. */
import fastify from 'fastify'
import { ITEMS, RESOURCES, STATUS, USER_ID } from '../data.mjs'
import { count } from '../steps.mjs'

const STRING = { type: 'string' }
const NUMBER = { type: 'number' }
const STRINGS = { type: 'array', items: STRING }

const StatusView = record({ status: STRING, version: STRING })
const Page = record({ limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 }, tag: STRING })
const Posts = record({ user: STRING, limit: NUMBER, tag: STRING })
const NEW_USER = {
  name: { type: 'string', minLength: 1, maxLength: 50 },
  email: { type: 'string', minLength: 3, maxLength: 100 },
  age: { type: 'integer', minimum: 0 },
  tags: STRINGS,
}
const Item = record({ id: NUMBER, name: STRING, price: NUMBER, available: { type: 'boolean' }, tags: STRINGS })
const ResourceView = record({ resource: NUMBER, id: STRING })

const apps = { small, many, layered }

/** Starts one of the apps on a free port. */
export async function start(app) {
  const server = fastify()
  apps[app](server)
  await server.listen({ port: 0, host: '127.0.0.1' })
  return server.server.address().port
}

function small(server) {
  addStatus(server)
  server.get('/items', { schema: { response: { 200: { type: 'array', items: Item } } } }, async () => ITEMS)
  server.post(
    '/users',
    { schema: { body: record(NEW_USER), response: { 201: record({ id: STRING, ...NEW_USER }) } } },
    async ({ body }, reply) => {
      reply.code(201)
      return { id: USER_ID, ...body }
    },
  )
  server.get(
    '/users/:user/posts',
    { schema: { querystring: Page, response: { 200: Posts } } },
    async ({ params, query }) => ({ user: params.user, limit: query.limit, tag: query.tag }),
  )
}

function many(server) {
  for (const [number, path] of RESOURCES.entries()) {
    server.get(`${path}/:id`, { schema: { response: { 200: ResourceView } } }, async ({ params }) => {
      return { resource: number, id: params.id }
    })
  }
}

function layered(server) {
  for (let layer = 0; layer < 5; layer++) server.addHook('onRequest', async () => count())
  addStatus(server)
}

function addStatus(server) {
  server.get('/status', { schema: { response: { 200: StatusView } } }, async () => STATUS)
}

function record(properties) {
  return { type: 'object', properties, required: Object.keys(properties) }
}
