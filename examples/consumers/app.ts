/** An API with one route for each kind of input and response, which responds with the input that arrived. */
import { bytes, createApp, events, form, HttpError, Route, text, type App, type Input, type Result } from 'verbena'
import { version } from 'verbena/decorators'
import { multipart } from 'verbena/multipart'
import * as z from 'zod-4'

const Circle = z.object({ kind: z.literal('circle'), radius: z.number() }).meta({ id: 'Circle' })
const Square = z.object({ kind: z.literal('square'), side: z.number() }).meta({ id: 'Square' })
const Drawing = z
  .object({
    shape: z.discriminatedUnion('kind', [Circle, Square]),
    size: z.union([z.int(), z.literal('auto')]),
    labels: z.record(z.string(), z.int()),
    tags: z.array(z.string()).readonly(),
    drawn: z.iso.datetime(),
    owner: z.string().nullable(),
    note: z.string().optional(),
  })
  .meta({ id: 'Drawing' })

class ShelfBook extends Route {
  static readonly path = '/shelves/{shelf}/books/{id}'
  static readonly get = this.contract({
    params: z.object({ shelf: z.string(), id: z.int() }),
    returns: z.object({ shelf: z.string(), id: z.int() }),
    operationId: 'readPath',
  })
  async get({ params }: Input<typeof ShelfBook.get>): Result<typeof ShelfBook.get> {
    return params
  }
}

class Numbers extends Route {
  static readonly path = '/numbers/{ids}'
  static readonly get = this.contract({
    params: z.object({ ids: z.array(z.int()) }),
    returns: z.object({ ids: z.array(z.int()) }),
    operationId: 'readPathList',
  })
  async get({ params }: Input<typeof Numbers.get>): Result<typeof Numbers.get> {
    return params
  }
}

const Search = z.object({
  limit: z.union([z.int(), z.literal('all')]),
  exact: z.boolean().optional(),
  tag: z.array(z.string()).optional(),
})

class Books extends Route {
  static readonly get = this.contract({ query: Search, returns: Search, operationId: 'readQuery' })
  async get({ query }: Input<typeof Books.get>): Result<typeof Books.get> {
    return query
  }
}

const Prices = z.record(z.string(), z.int())

class Filters extends Route {
  static readonly get = this.contract({ query: Prices, returns: Prices, operationId: 'readQueryRecord' })
  async get({ query }: Input<typeof Filters.get>): Result<typeof Filters.get> {
    return query
  }
}

const Traced = z.object({ 'x-trace': z.string(), 'x-tags': z.array(z.string()) })

class Traces extends Route {
  static readonly get = this.contract({ headers: Traced, returns: Traced, operationId: 'readHeaders' })
  async get({ headers }: Input<typeof Traces.get>): Result<typeof Traces.get> {
    return headers
  }
}

class Themes extends Route {
  static readonly get = this.contract({
    cookies: z.object({ theme: z.string() }),
    returns: z.object({ theme: z.string() }),
    operationId: 'readCookie',
  })
  async get({ cookies }: Input<typeof Themes.get>): Result<typeof Themes.get> {
    return cookies
  }
}

const Order = z.object({ name: z.string(), count: z.int(), tag: z.array(z.string()) })

class Orders extends Route {
  static readonly post = this.contract({ body: form(Order), returns: Order, operationId: 'sendForm' })
  async post({ body }: Input<typeof Orders.post>): Result<typeof Orders.post> {
    return body
  }
}

class Pictures extends Route {
  static readonly post = this.contract({
    body: multipart(z.object({ title: z.string(), meta: z.object({ year: z.int() }) }), {
      files: { image: {} },
    }),
    returns: z.object({ title: z.string(), year: z.int(), name: z.string(), bytes: z.int() }),
    operationId: 'sendMultipart',
  })
  async post({ body }: Input<typeof Pictures.post>): Result<typeof Pictures.post> {
    const { title, meta } = body.fields
    const { image } = body.files
    return { title, year: meta.year, name: image.name, bytes: image.size }
  }
}

class Drawings extends Route {
  static readonly post = this.contract({ body: Drawing, returns: Drawing, operationId: 'sendJson' })
  async post({ body }: Input<typeof Drawings.post>): Result<typeof Drawings.post> {
    return body
  }
}

class Ticks extends Route {
  static readonly get = this.contract({ returns: events(z.object({ count: z.int() })), operationId: 'readEvents' })
  async *get() {
    yield { data: { count: 1 } }
    yield { data: { count: 2 } }
  }
}

class Missing extends Route {
  static readonly get = this.contract({ returns: Order, errors: [404], operationId: 'readProblem' })
  async get(): Result<typeof Missing.get> {
    throw new HttpError(404, 'No such order')
  }
}

class Thumbnail extends Route {
  static readonly get = this.contract({ returns: bytes({ types: ['image/png'] }), operationId: 'readBytes' })
  async get() {
    return new Uint8Array([1, 2, 3])
  }
}

class Poem extends Route {
  static readonly get = this.contract({ returns: text(), operationId: 'readText' })
  async get() {
    return 'Ein Gedicht'
  }
}

class Session extends Route {
  static readonly delete = this.contract({ returns: null, operationId: 'removeNothing' })
  async delete() {}
}

/** Has no `operationId`, so that the document writes `Teas.get`. */
class Teas extends Route {
  static readonly get = this.contract({ returns: z.object({ name: z.string() }) })
  async get() {
    return { name: 'Assam' }
  }
}

class PricesV1 extends Route {
  static readonly path = '/prices'
  static readonly get = this.contract({ returns: z.object({ price: z.int() }), operationId: 'readVersion' })
  @version('1.x')
  async get() {
    return { price: 3 }
  }
}

class PricesV2 extends Route {
  static readonly path = '/prices'
  static readonly get = this.contract({
    returns: z.object({ amount: z.int(), currency: z.string() }),
    operationId: 'readVersion',
  })
  @version('2.x')
  async get() {
    return { amount: 3, currency: 'EUR' }
  }
}

const routes = {
  ...{ ShelfBook, Numbers, Books, Filters, Traces, Themes, Orders, Pictures, Drawings },
  ...{ Ticks, Missing, Thumbnail, Poem, Session, Teas, PricesV1, PricesV2 },
}

/** @param from where clients send the version */
export function createConsumedApp(from: 'accept-version' | { readonly mediaType: string }): App {
  const versioning = { from, default: '1.0.0' }
  return createApp({ name: 'consumed', version: '2.0.0', versioning, routes, logger: false, signals: false })
}
