/** An app with every kind of endpoint, for the security tests. */
import { createHash } from 'node:crypto'
import {
  bytes,
  createApp,
  events,
  form,
  json,
  Route,
  stream,
  text,
  type App,
  type Context,
  type CommonOptions,
  type Input,
  type MiddlewareContext,
  type Reply,
} from 'verbena'
import * as z from 'zod'

/** Responds 200 as long as the app works; called after each attack. */
class Alive extends Route {
  get() {
    return 'alive'
  }
}

class Echo extends Route {
  static readonly path = '/echo/{name}'
  static readonly get = this.contract({ params: z.object({ name: z.string() }) })
  get({ params, request }: Input<typeof Echo.get>) {
    return { name: params.name, method: request.method, path: request.path, ip: request.ip }
  }
}

class Two extends Route {
  static readonly path = '/two/{a}/{b}'
  static readonly get = this.contract({})
  get({ params }: Input<typeof Two.get>) {
    return { a: params.a, b: params.b }
  }
}

class Files extends Route {
  static readonly path = '/files/{rest...}'
  static readonly get = this.contract({})
  get({ params }: Input<typeof Files.get>) {
    return { rest: params.rest }
  }
}

class Admin extends Route {
  get() {
    return 'admin'
  }
}

class Apple extends Route {
  static readonly path = '/Äpfel'
  get() {
    return 'Äpfel'
  }
}

/** Accepts any JSON, and returns it. */
class Json extends Route {
  post({ body }: Context & { readonly body: unknown }) {
    return { body }
  }
}

class Person extends Route {
  static readonly post = this.contract({
    body: z.object({ name: z.string(), age: z.number().optional() }),
    returns: z.object({ name: z.string() }),
    status: 201,
  })
  post({ body }: Input<typeof Person.post>) {
    return { ...body, secret: 'never' }
  }

  static readonly delete = this.contract({ returns: null })
  delete() {}
}

class Small extends Route {
  static readonly post = this.contract({ body: json(z.unknown(), { limit: 32, raw: true }) })
  post({ rawBody }: Input<typeof Small.post>) {
    return { length: rawBody.length }
  }
}

class Form extends Route {
  static readonly post = this.contract({ body: form(z.looseObject({ n: z.number().int().optional() })) })
  post({ body }: Input<typeof Form.post>) {
    return { body: Object.fromEntries(Object.entries(body)), polluted: 'polluted' in {} }
  }
}

class Text extends Route {
  static readonly post = this.contract({ body: text(), returns: text() })
  post({ body }: Input<typeof Text.post>) {
    return body
  }
}

class Bytes extends Route {
  static readonly post = this.contract({ body: bytes(), returns: bytes() })
  post({ body }: Input<typeof Bytes.post>) {
    return body
  }
}

class Upload extends Route {
  static readonly post = this.contract({ body: stream() })
  async post({ body }: Input<typeof Upload.post>) {
    const hash = createHash('sha256')
    let length = 0
    for await (const chunk of body) {
      length += chunk.length
      hash.update(chunk)
    }
    return { length, hash: hash.digest('hex') }
  }
}

class Query extends Route {
  static readonly get = this.contract({
    query: z.object({
      limit: z.number().int().optional(),
      ratio: z.number().optional(),
      on: z.boolean().optional(),
      q: z.string().optional(),
      tag: z.array(z.string()).optional(),
    }),
  })
  get({ query }: Input<typeof Query.get>) {
    return query
  }
}

class RawQuery extends Route {
  get({ query }: Context & { readonly query: Readonly<Record<string, unknown>> }) {
    return { keys: Object.keys(query), query: Object.fromEntries(Object.entries(query)), polluted: 'polluted' in {} }
  }
}

class Cookies extends Route {
  static readonly get = this.contract({ cookies: z.object({ a: z.string().optional() }) })
  get({ cookies }: Input<typeof Cookies.get>) {
    return cookies
  }
}

class Chunks extends Route {
  static readonly get = this.contract({ returns: stream() })
  async *get() {
    for (const letter of ['a', 'b', 'c']) {
      yield letter.repeat(1000)
      await new Promise(setImmediate)
    }
  }
}

class Ticks extends Route {
  static readonly get = this.contract({ returns: events(z.object({ n: z.number() })) })
  async *get() {
    for (let n = 0; n < 3; n++) {
      await new Promise(setImmediate)
      yield { data: { n }, id: String(n), event: 'tick' }
    }
  }
}

/** Responds after `ms` milliseconds. */
class Slow extends Route {
  static readonly get = this.contract({ query: z.object({ ms: z.number().int().min(0).max(5000) }) })
  async get({ query, request }: Input<typeof Slow.get>) {
    await new Promise((resolve) => setTimeout(resolve, query.ms))
    return { slept: query.ms, id: request.headers['x-id'] ?? null }
  }
}

class Big extends Route {
  static readonly get = this.contract({
    query: z.object({ size: z.number().int().min(0).max(50_000_000) }),
    returns: bytes(),
  })
  get({ query }: Input<typeof Big.get>) {
    return Buffer.alloc(query.size, 'x')
  }
}

/** Adds the request method to the response, so that a parser knows which responses have no content. */
async function nameMethod(context: MiddlewareContext, next: () => Promise<Reply>) {
  const reply = await next()
  return reply.with({ 'x-method': context.request.method })
}

/** Routes of every probe app. */
export const PROBE_ROUTES = {
  Alive,
  Echo,
  Two,
  Files,
  Admin,
  Apple,
  Json,
  Person,
  Small,
  Form,
  Text,
  Bytes,
  Upload,
  Query,
  RawQuery,
  Cookies,
  Chunks,
  Ticks,
  Slow,
  Big,
}

/** Creates the probe app, without logging and without signal handlers. */
export function probeApp(options: CommonOptions = {}): App {
  return createApp({ routes: PROBE_ROUTES, logger: false, signals: false, ...options })
}

/** Creates the probe app with the request method in the response header `X-Method`. */
export function namingApp(options: CommonOptions = {}): App {
  return probeApp({ middleware: [nameMethod], ...options })
}
