/**
 * NestJS, according to its guide: controllers, DTO classes with class-validator, `ValidationPipe`, async methods, default options except
 * for the log. The adapter is Express, or Fastify with `ADAPTER=fastify`.
 */
import { Body, Controller, Get, Module, Param, Post, Query, ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Type } from 'class-transformer'
import { IsArray, IsInt, IsString, Length, Max, Min } from 'class-validator'
import { ITEMS, RESOURCES, STATUS, USER_ID } from '../data.mjs'
import { decorate, decorateFields } from '../legacy-decorators.mjs'
import { count } from '../steps.mjs'

const NewUser = decorateFields(class NewUser {}, {
  name: { type: String, decorators: [Length(1, 50)] },
  email: { type: String, decorators: [Length(3, 100)] },
  age: { type: Number, decorators: [IsInt(), Min(0)] },
  tags: { type: Array, decorators: [IsArray(), IsString({ each: true })] },
})

class PageFields {
  limit = 10
}
const Page = decorateFields(PageFields, {
  limit: { type: Number, decorators: [Type(() => Number), IsInt(), Min(1), Max(100)] },
  tag: { type: String, decorators: [IsString()] },
})

const apps = { small, many, layered }

/** Starts one of the apps on a free port. */
export async function start(app) {
  const { controllers, middleware = [] } = apps[app]()
  const AppModule = decorate(class AppModule {}, { class: [Module({ controllers })] })
  const server = await NestFactory.create(AppModule, await createAdapter(), { logger: false })
  server.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }))
  for (const step of middleware) server.use(step)
  await server.listen(0, '127.0.0.1')
  return server.getHttpServer().address().port
}

async function createAdapter() {
  if (process.env['ADAPTER'] === 'fastify') {
    const { FastifyAdapter } = await import('@nestjs/platform-fastify')
    return new FastifyAdapter()
  }
  const { ExpressAdapter } = await import('@nestjs/platform-express')
  return new ExpressAdapter()
}

function small() {
  return { controllers: [createStatus(), createItems(), createUsers()] }
}

function many() {
  return { controllers: RESOURCES.map(createResource) }
}

function layered() {
  const step = async (_request, _response, next) => {
    count()
    next()
  }
  return { controllers: [createStatus()], middleware: Array.from({ length: 5 }, () => step) }
}

function createStatus() {
  class StatusController {
    async read() {
      return STATUS
    }
  }
  return decorate(StatusController, { class: [Controller('status')], methods: { read: { method: [Get()] } } })
}

function createItems() {
  class ItemsController {
    async list() {
      return ITEMS
    }
  }
  return decorate(ItemsController, { class: [Controller('items')], methods: { list: { method: [Get()] } } })
}

function createUsers() {
  class UsersController {
    async create(body) {
      return { id: USER_ID, ...body }
    }
    async listPosts(user, { limit, tag }) {
      return { user, limit, tag }
    }
  }
  return decorate(UsersController, {
    class: [Controller('users')],
    methods: {
      create: { method: [Post()], params: [Body()], types: [NewUser] },
      listPosts: { method: [Get(':user/posts')], params: [Param('user'), Query()], types: [String, Page] },
    },
  })
}

function createResource(path, number) {
  class ResourceController {
    async read(id) {
      return { resource: number, id }
    }
  }
  return decorate(ResourceController, {
    class: [Controller(path)],
    methods: { read: { method: [Get(':id')], params: [Param('id')], types: [String] } },
  })
}
