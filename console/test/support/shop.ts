/** A small shop with a console, for browser tests. Nothing changes unless a test sends a request. */
import '#test/development.js'
import type { TestContext } from 'node:test'
import { createApp, json, reply, Route, text, type App, type CommonOptions, type Input } from 'verbena'
import { log, version } from 'verbena/decorators'
import * as z from 'zod'
import { onCleanup } from '#test/cleanup.js'

const MB = 1024 * 1024

/** A shop that listens, and the changes it has received, in order. */
export interface Shop {
  readonly app: App
  readonly url: string
  readonly changes: string[]
}

type Changes = Pick<Shop, 'changes'>

const NewGood = z.object({ name: z.string().min(2), price: z.number().positive() })

class Goods extends Route<{ shop: Changes }> {
  static readonly get = this.contract({
    query: z.object({
      kind: z.enum(['tea', 'cup', 'spoon']).optional(),
      sold: z.boolean().optional(),
      fresh: z.boolean().default(true),
      limit: z.int().min(1).max(100).default(10),
    }),
  })
  get({ query }: Input<typeof Goods.get>) {
    return query
  }

  static readonly post = this.contract({ body: NewGood, status: 201 })
  @log
  post({ body }: Input<typeof Goods.post>) {
    this.shop.changes.push(`made ${body.name}`)
    return { ...body, id: this.shop.changes.length }
  }
}

class GoodById extends Route<{ shop: Changes }> {
  static readonly path = '/goods/{id}'
  static readonly get = this.contract({})
  get({ params }: Input<typeof GoodById.get>) {
    return { id: params.id, word: 'it’s "tea" & $HOME `x`' }
  }

  static readonly delete = this.contract({ returns: null })
  delete({ params }: Input<typeof GoodById.delete>) {
    this.shop.changes.push(`took ${params.id} away`)
  }
}

class Editions extends Route {
  @version('>=2.0.0')
  get() {
    return 'second'
  }
}

class Broken extends Route {
  get(): never {
    throw new TypeError('The till is empty', { cause: new Error('Nobody paid') })
  }
}

class Lists extends Route {
  static readonly get = this.contract({ query: z.object({ size: z.int() }) })
  get({ query }: Input<typeof Lists.get>) {
    const item = { name: 'green tea', price: 4, tags: ['new', 'loose'] }
    return Array.from({ length: Math.ceil(query.size / 53) }, () => item)
  }

  static readonly post = this.contract({ body: json(z.unknown(), { limit: 8 * MB }) })
  post({ body }: Input<typeof Lists.post>) {
    return { length: JSON.stringify(body).length }
  }
}

class Texts extends Route {
  static readonly get = this.contract({ query: z.object({ size: z.int() }), returns: text() })
  get({ query }: Input<typeof Texts.get>) {
    return 'All the tea in the shop. '.repeat(Math.ceil(query.size / 25)).slice(0, query.size)
  }
}

class Pictures extends Route {
  get() {
    return reply(200, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), { 'content-type': 'image/png' })
  }
}

class Old extends Route {
  get() {
    return reply(302, null, { location: '/goods' })
  }
}

/**
 * Creates the shop.
 *
 * @param options override the options of the shop
 */
export function makeShop(options: CommonOptions = {}): Omit<Shop, 'url'> {
  const changes: string[] = []
  const routes = { Goods, GoodById, Editions, Broken, Lists, Texts, Pictures, Old }
  const app = createApp({
    name: 'shop',
    version: '1.0.0',
    services: { shop: { changes } },
    routes,
    logger: false,
    signals: false,
    devConsole: true,
    ...options,
  })
  return { app, changes }
}

/**
 * Creates the shop and starts it.
 *
 * @param t closes the shop at the end of this test
 * @param options override the options of the shop
 */
export async function openShop(t: TestContext, options: CommonOptions = {}): Promise<Shop> {
  const { app, changes } = makeShop(options)
  const { url } = await app.listen()
  onCleanup(t, () => app.close())
  return { app, changes, url }
}

/**
 * Requests paths one after the other, from Node instead of a browser.
 */
export async function ask(shop: { readonly url: string }, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const response = await fetch(`${shop.url}${path}`, { redirect: 'manual' })
    await response.arrayBuffer()
  }
}
