/** Starts a large server: `large-server.mjs <server> <classes>`. Sends its port, then the cost of its start. */
import { createRoutes, createSchemas } from './large-routes.mjs'
import { sendReadings } from './send-readings.mjs'

const [server, classes] = process.argv.slice(2)
const numbers = Array.from({ length: Number(classes) }, (_, number) => number)
const CREATED = { id: 1, created: '2027-01-01T00:00:00Z' }

const SERVERS = {
  async verbena() {
    const verbena = await import(process.env['VERBENA_BUILD'])
    const app = verbena.createApp({ routes: createRoutes(verbena, numbers.length), logger: false })
    const { port } = await app.listen({ port: 0, host: '127.0.0.1' })
    return port
  },
  /** JSON Schema of the same fields, as its guide says. */
  async fastify() {
    const { default: fastify } = await import('fastify')
    const app = fastify()
    for (const number of numbers) {
      const { New, List, Shown, Page } = createJsonSchemas(number)
      app.get(`/things${number}`, { schema: { querystring: Page, response: { 200: List } } }, async () => [])
      app.post(`/things${number}`, { schema: { body: New, response: { 201: Shown } } }, async ({ body }, reply) => {
        reply.code(201)
        return { ...body, ...CREATED }
      })
    }
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server.address().port
  },
  /** The same zod schemas. Responses are not validated, as its guide says. */
  async hono() {
    const { serve } = await import('@hono/node-server')
    const { zValidator } = await import('@hono/zod-validator')
    const { Hono } = await import('hono')
    const app = new Hono()
    for (const number of numbers) {
      const { New, Page } = createSchemas(number, true)
      app.get(`/things${number}`, zValidator('query', Page), (context) => context.json([]))
      app.post(`/things${number}`, zValidator('json', New), (context) =>
        context.json({ ...context.req.valid('json'), ...CREATED }, 201),
      )
    }
    return new Promise((resolve) => {
      serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
    })
  },
  async 'nest-express'() {
    const { ExpressAdapter } = await import('@nestjs/platform-express')
    return startNest(new ExpressAdapter())
  },
  async 'nest-fastify'() {
    const { FastifyAdapter } = await import('@nestjs/platform-fastify')
    return startNest(new FastifyAdapter())
  },
}

sendReadings(await SERVERS[server]())

/** Eight fields of a class. */
function createJsonSchemas(number) {
  const KINDS = [
    { type: 'string', minLength: 1, maxLength: 100 },
    { type: 'string', format: 'email' },
    { type: 'number', minimum: 0 },
    { type: 'string', enum: ['draft', 'active', 'archived'] },
    { type: 'array', items: { type: 'string' } },
    record({ street: { type: 'string' }, city: { type: 'string' }, zip: { type: 'string', maxLength: 10 } }),
    { type: 'string', maxLength: 1000 },
    { type: 'boolean' },
  ]
  const fields = Object.fromEntries(KINDS.map((kind, at) => [`field${number % 97}_${at}`, kind]))
  const shown = { id: { type: 'integer' }, ...fields }
  return {
    Page: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
        search: { type: 'string' },
      },
    },
    List: { type: 'array', items: record(shown) },
    New: record(fields),
    Shown: record({ ...shown, created: { type: 'string', format: 'date-time' } }),
  }
}

function record(properties) {
  return { type: 'object', properties, required: Object.keys(properties) }
}

/** Controllers, and DTO classes with class-validator, as its guide says. */
async function startNest(adapter) {
  const { decorate, decorateFields } = await import('./legacy-decorators.mjs')
  const { Body, Controller, Get, Module, Post, Query, ValidationPipe } = await import('@nestjs/common')
  const { NestFactory } = await import('@nestjs/core')
  const { Type } = await import('class-transformer')
  const { IsArray, IsBoolean, IsEmail, IsIn, IsInt, IsObject, IsString, Length, Max, Min } =
    await import('class-validator')
  const KINDS = [
    () => ({ type: String, decorators: [Length(1, 100)] }),
    () => ({ type: String, decorators: [IsEmail()] }),
    () => ({ type: Number, decorators: [Min(0)] }),
    () => ({ type: String, decorators: [IsIn(['draft', 'active', 'archived'])] }),
    () => ({ type: Array, decorators: [IsArray(), IsString({ each: true })] }),
    () => ({ type: Object, decorators: [IsObject()] }),
    () => ({ type: String, decorators: [IsString()] }),
    () => ({ type: Boolean, decorators: [IsBoolean()] }),
  ]
  const controllers = numbers.map((number) => {
    const fields = KINDS.map((kind, at) => [`field${number % 97}_${at}`, kind()])
    const New = decorateFields(class New {}, Object.fromEntries(fields))
    const Page = decorateFields(
      class Page {
        limit = 10
      },
      { limit: { type: Number, decorators: [Type(() => Number), IsInt(), Min(1), Max(100)] } },
    )
    class Things {
      async list() {
        return []
      }
      async create(body) {
        return { ...body, ...CREATED }
      }
    }
    return decorate(Things, {
      class: [Controller(`things${number}`)],
      methods: {
        list: { method: [Get()], params: [Query()], types: [Page] },
        create: { method: [Post()], params: [Body()], types: [New] },
      },
    })
  })
  const AppModule = decorate(class AppModule {}, { class: [Module({ controllers })] })
  const app = await NestFactory.create(AppModule, adapter, { logger: false })
  app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }))
  await app.listen(0, '127.0.0.1')
  return app.getHttpServer().address().port
}
