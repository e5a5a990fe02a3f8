/** Verbena, as a user would write it: contracts with zod, async methods, default options except for the log. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import * as z from 'zod'
import { createEvent, createReceipt, EVENT_COUNT, ITEMS, RESOURCES, STATUS, USER_ID } from '../data.mjs'
import { createFileRoot } from '../file-root.mjs'
import { Items as ItemList, NewUser } from '../schemas.mjs'
import { count } from '../steps.mjs'

// Another build of Verbena, for a comparison.
const build = process.env['VERBENA_BUILD'] ?? new URL('../../dist/index.js', import.meta.url).href
const { createApp, events, observeCall, Route, service } = await import(build)

const StatusView = z.object({ status: z.string(), version: z.string() })
const Page = z.object({ limit: z.number().int().min(1).max(100).default(10), tag: z.string() })
const Posts = z.object({ user: z.string(), limit: z.number(), tag: z.string() })
const User = z.object({ id: z.string(), ...NewUser.shape })
const ResourceView = z.object({ resource: z.number(), id: z.string() })
const Event = z.object({ n: z.number(), text: z.string() })
const ImageFields = z.object({ title: z.string().min(1).max(100), year: z.number().int() })
const Report = z.object({ orders: z.number() })
const Receipt = z.object({ title: z.string(), year: z.number(), name: z.string(), size: z.number(), end: z.number() })

const apps = {
  small: (contract) => ({ routes: smallRoutes(contract) }),
  many: () => ({ routes: RESOURCES.map(resourceRoute) }),
  services: () => ({ routes: { Reports: createReports() }, services: { orders: createOrders() } }),
  layered: (contract) => ({
    routes: { Status: smallRoutes(contract).Status },
    middleware: Array.from({ length: 5 }, middleware),
  }),
  feed: () => ({ routes: { Events: createFeed() } }),
  upload: async () => ({ routes: { Images: await createImages() } }),
  async files() {
    const { files } = await import(new URL('files.js', build).href)
    return { routes: { '/assets': files(createFileRoot()) } }
  },
}

/**
 * Starts one of the apps on a free port.
 *
 * @param {string} app
 * @param {string} [feature] `log`, `speed`, `version`, `security`, `service-log` or `console`
 */
export async function start(app, feature = '') {
  const validateResponses = process.env['VALIDATE_RESPONSES'] !== 'false'
  // Older builds do not have this option.
  const path = process.env['FAST_PATH'] === 'false' ? { fastPath: false } : {}
  const { contract, options } = await loadFeature(feature)
  const settings = await apps[app](contract)
  const running = createApp({
    ...settings,
    ...{ logger: false, validateResponses, devConsole: false, ...path, ...options },
    services: { ...settings.services, ...options?.services },
  })
  return process.env['ATTACHED'] === 'true' ? listenAttached(running) : (await running.listen()).port
}

/** Starts an app on a server that it has not created. */
async function listenAttached(running) {
  const server = createServer()
  running.attach(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server.address().port
}

/** Creates the endpoints of W1 to W4. All except W4 can have a feature. */
function smallRoutes(contract) {
  class Status extends Route {
    static get = this.contract({ returns: StatusView, ...contract })
    async get() {
      return STATUS
    }
  }
  class Items extends Route {
    static get = this.contract({ returns: ItemList })
    async get() {
      return ITEMS
    }
  }
  class Users extends Route {
    static post = this.contract({ body: NewUser, returns: User, status: 201, ...contract })
    async post({ body }) {
      return { id: USER_ID, ...body }
    }
  }
  class UserPosts extends Route {
    static path = '/users/{user}/posts'
    static get = this.contract({ query: Page, returns: Posts, ...contract })
    async get({ params, query }) {
      return { user: params.user, limit: query.limit, tag: query.tag }
    }
  }
  return { Status, Items, Users, UserPosts }
}

/** Creates an endpoint that calls a service ten times. */
function createReports() {
  return class Reports extends Route {
    static get = this.contract({ returns: Report })
    async get() {
      let count = 0
      for (let page = 0; page < 10; page++) count += (await this.orders.list(page)).length
      return { orders: count }
    }
  }
}

/** Creates a service with a query that returns ten rows. */
function createOrders() {
  const text = 'select id, name, price from orders order by id limit 10 offset $1'
  return {
    list: (page) =>
      observeCall({ kind: 'sql', text, params: [page * 10] }, () => Promise.resolve(ITEMS.slice(0, 10)), countRows),
  }
}

function countRows(items) {
  return { rows: items.length }
}

function createFeed() {
  return class Events extends Route {
    static get = this.contract({ returns: events(Event) })
    async *get() {
      for (let index = 0; index < EVENT_COUNT; index++) yield { data: createEvent(index) }
    }
  }
}

async function createImages() {
  const { multipart } = await import(new URL('multipart.js', build).href)
  return class Images extends Route {
    static post = this.contract({
      body: multipart(ImageFields, { files: { image: { types: ['image/png'], limit: 2_000_000 } } }),
      returns: Receipt,
      status: 201,
    })
    async post({ body: { fields, files } }) {
      return createReceipt(fields, files.image.name, new Uint8Array(await files.image.arrayBuffer()))
    }
  }
}

function resourceRoute(path, number) {
  return class Resource extends Route {
    static path = `${path}/{id}`
    static get = this.contract({ returns: ResourceView })
    async get({ params }) {
      return { resource: number, id: params.id }
    }
  }
}

function middleware() {
  return async (_, next) => {
    count()
    return next()
  }
}

async function loadFeature(name) {
  if (name === '') return {}
  if (name === 'console') return { options: { devConsole: true } }
  if (name === 'security') return { options: { securityHeaders: 'api' } }
  if (name === 'service-log') {
    return { options: { logger: { level: 'error' }, services: { reader: service(({ log }) => log) } } }
  }
  const { log, speed, version } = await import(new URL('decorators.js', build).href)
  const drop = () => {}
  const logger = { debug: drop, info: drop, warn: drop, error: drop }
  if (name === 'log') return { contract: { decorators: [log] }, options: { logger } }
  if (name === 'speed') return { contract: { decorators: [speed] } }
  return { contract: { decorators: [version('>=1.0.0')] }, options: { version: '1.0.0' } }
}
