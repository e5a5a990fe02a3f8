/** Fastify, according to its guide: JSON Schema for requests and responses, async handlers, default options. */
import fastify from 'fastify'
import { createEvent, createReceipt, EVENT_COUNT, ITEMS, RESOURCES, STATUS, USER_ID } from '../data.mjs'
import { createFileRoot } from '../file-root.mjs'
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

const apps = { small, many, layered, feed, upload, files }

/** Starts one of the apps on a free port. */
export async function start(app) {
  const server = fastify()
  await apps[app](server)
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

async function feed(server) {
  await server.register(import('@fastify/sse'))
  server.get('/events', { sse: 'only' }, async (_, reply) => {
    await reply.sse.send(createEvents())
  })
}

async function* createEvents() {
  for (let index = 0; index < EVENT_COUNT; index++) yield { data: createEvent(index) }
}

async function upload(server) {
  await server.register(import('@fastify/multipart'))
  const properties = { title: STRING, year: NUMBER, name: STRING, size: NUMBER, end: NUMBER }
  server.post('/images', { schema: { response: { 201: record(properties) } } }, async (request, reply) => {
    const file = await request.file()
    const bytes = await file.toBuffer()
    reply.code(201)
    return createReceipt({ title: file.fields.title.value, year: file.fields.year.value }, file.filename, bytes)
  })
}

async function files(server) {
  await server.register(import('@fastify/static'), { root: createFileRoot(), prefix: '/assets/', preCompressed: true })
}

function addStatus(server) {
  server.get('/status', { schema: { response: { 200: StatusView } } }, async () => STATUS)
}

function record(properties) {
  return { type: 'object', properties, required: Object.keys(properties) }
}
