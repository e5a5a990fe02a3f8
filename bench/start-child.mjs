/** Starts a server with two routes: `start-child.mjs <kind>`. Sends its port, then the cost of its start. */
import { sendReadings } from './send-readings.mjs'

const USER = { id: 7, name: 'Ada' }

const SERVERS = {
  raw: () => byHand((value) => value),
  /** The cost of zod, which all servers with zod have. */
  async 'raw-zod'() {
    const { z } = await import('zod')
    const Person = z.object({ id: z.number(), name: z.string() })
    const Shown = z.union([Person, z.array(Person)])
    return byHand((value) => Shown.parse(value))
  },
  async verbena() {
    const { Route, createApp } = await import('../dist/index.js')
    class Users extends Route {
      async get() {
        return [USER]
      }
    }
    class User extends Route {
      static path = '/users/{id}'
      async get() {
        return USER
      }
    }
    return listen(createApp({ routes: { Users, User } }))
  },
  async 'verbena-zod'() {
    const { Route, createApp } = await import('../dist/index.js')
    const { z } = await import('zod')
    const Person = z.object({ id: z.number(), name: z.string() })
    class Users extends Route {
      static get = this.contract({ returns: z.array(Person) })
      async get() {
        return [USER]
      }
    }
    class User extends Route {
      static path = '/users/{id}'
      static get = this.contract({ params: z.object({ id: z.int() }), returns: Person })
      async get() {
        return USER
      }
    }
    return listen(createApp({ routes: { Users, User } }))
  },
  async 'hono-zod'() {
    const { serve } = await import('@hono/node-server')
    const { zValidator } = await import('@hono/zod-validator')
    const { Hono } = await import('hono')
    const { z } = await import('zod')
    const app = new Hono()
      .get('/users', (context) => context.json([USER]))
      .get('/users/:id', zValidator('param', z.object({ id: z.coerce.number().int() })), (context) =>
        context.json(USER),
      )
    return new Promise((resolve) => {
      serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))
    })
  },
  async fastify() {
    const { default: fastify } = await import('fastify')
    const app = fastify()
    app.get('/users', async () => [USER])
    app.get(
      '/users/:id',
      { schema: { params: { type: 'object', properties: { id: { type: 'integer' } } } } },
      async () => USER,
    )
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server.address().port
  },
  async express() {
    const { default: express } = await import('express')
    const app = express()
    app.get('/users', (_request, response) => response.json([USER]))
    app.get('/users/:id', ({ params }, response) => {
      if (Number.isInteger(Number(params.id))) response.json(USER)
      else response.status(400).json({ message: 'The id is not valid' })
    })
    return new Promise((resolve) => {
      const server = app.listen(0, '127.0.0.1', () => resolve(server.address().port))
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

sendReadings(await SERVERS[process.argv[2]]())

async function byHand(checked) {
  const { createServer } = await import('node:http')
  const server = createServer(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(checked(url === '/users' ? [USER] : USER)))
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address().port))
  })
}

async function listen(app) {
  const { port } = await app.listen({ port: 0, host: '127.0.0.1' })
  return port
}

async function startNest(adapter) {
  const { decorate } = await import('./legacy-decorators.mjs')
  const { Controller, Get, Module, Param, ParseIntPipe } = await import('@nestjs/common')
  const { NestFactory } = await import('@nestjs/core')
  class UsersController {
    async list() {
      return [USER]
    }
    async find() {
      return USER
    }
  }
  decorate(UsersController, {
    class: [Controller('users')],
    methods: {
      list: { method: [Get()] },
      find: { method: [Get(':id')], params: [Param('id', ParseIntPipe)], types: [Number] },
    },
  })
  const AppModule = decorate(class AppModule {}, { class: [Module({ controllers: [UsersController] })] })
  const app = await NestFactory.create(AppModule, adapter, { logger: false })
  await app.listen(0, '127.0.0.1')
  return app.getHttpServer().address().port
}
