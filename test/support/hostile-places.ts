/** Each place where an app passes a value to Verbena, such as a return value or an option, with an app that uses it. */
import {
  decorator,
  HttpError,
  provide,
  reply,
  Route,
  service,
  stream,
  type App,
  type Context,
  type Input,
  type Middleware,
} from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { rateLimit } from 'verbena/limits'
import { session } from 'verbena/session'
import { createUntypedApp } from '#test/apps.js'
import { hostileGenerator } from '#test/hostile-returns.js'

/** Creates an app in which one place receives hostile values. */
export type HostilePlace = (value: () => unknown) => App

const TIMEOUTS = { handler: 1000, body: 1000, headers: 1000, close: 1000 }

function hostileApp(routes: object, options: object = {}): App {
  class Alive extends Route {
    get() {
      return 'alive'
    }
  }
  return createUntypedApp({ routes: { ...routes, Alive }, signals: false, timeouts: TIMEOUTS, ...options })
}

/** Creates an app with this handler at `/probe`. */
function handling(handler: (context: Context) => unknown, options: object = {}): App {
  class Probe extends Route {
    get(context: Context) {
      return handler(context)
    }
  }
  return hostileApp({ Probe }, options)
}

function thrower(value: () => unknown): () => never {
  return () => {
    throw value()
  }
}

/** Passes a value of any type, as JavaScript code can. */
function untypedValue(value: unknown): never {
  // Proof: wrong on purpose; the suite tests values that the types reject.
  return value as never
}

const FAILING = (): never => {
  throw new Error('a')
}

/** Limits middleware to the endpoint that receives hostile values. */
function onProbe(middleware: Middleware): Middleware {
  return (context, next) => (context.request.path === '/probe' ? middleware(context, next) : next())
}

function providing(resolve: () => unknown): App {
  const guard = provide({ guard: true }, untypedValue(resolve))
  class Probe extends Route {
    static readonly get = this.contract({ uses: { guard } })
    get() {
      return 'fine'
    }
  }
  return hostileApp({ Probe })
}

function validating(make: (value: () => unknown) => object): HostilePlace {
  return (value) => {
    const schema = { '~standard': { version: 1, vendor: 'hostile', ...make(value) } }
    class Probe extends Route {
      static readonly get = this.contract({ query: untypedValue(schema), returns: untypedValue(schema) })
      get() {
        return 'fine'
      }
    }
    return hostileApp({ Probe })
  }
}

function keyedPlace(
  store: (value: () => unknown) => object,
  by: (value: () => unknown) => unknown = () => 'ada',
): HostilePlace {
  return (value) => {
    const once = idempotency(untypedValue({ by: () => by(value), ttl: 60_000, store: store(value) }))
    class Probe extends Route {
      static readonly post = this.contract({ idempotency: once, returns: untypedValue(ANY) })
      post() {
        return 'fine'
      }
    }
    return hostileApp({ Probe })
  }
}

const ANY = { '~standard': { version: 1, vendor: 'any', validate: (value: unknown) => ({ value }) } }

function limitedPlace(options: object): App {
  const limit = rateLimit(untypedValue({ by: () => 'ada', limit: 1000, window: 60_000, ...options }))
  class Probe extends Route {
    static readonly get = this.contract({ uses: { limit } })
    get() {
      return 'fine'
    }
  }
  return hostileApp({ Probe })
}

const claimed = async (): Promise<object> => ({ state: 'claimed' })

function visitPlace(store: object): App {
  const visitor = session(untypedValue({ keys: ['a text of 32 bytes that nobody knows'], store }))
  class Probe extends Route {
    static readonly get = this.contract({ uses: { visitor } })
    get({ visitor: found }: Input<typeof Probe.get>) {
      found.start('ada')
      return 'fine'
    }
  }
  return hostileApp({ Probe })
}

const memory = { get: () => undefined, set: () => true, delete: () => {}, touch: () => true }

export const PLACES: Readonly<Record<string, HostilePlace>> = {
  'a handler throws': (value) => handling(thrower(value)),
  'a handler returns': (value) => handling(() => value()),
  'a handler resolves to': (value) => handling(async () => value()),
  'a handler streams': (value) => handling(() => hostileGenerator(value(), 'a')),
  'a handler streams later': (value) => handling(() => hostileGenerator('a', value())),
  'a declared stream is': (value) => {
    class Probe extends Route {
      static readonly get = this.contract({ returns: stream() })
      get() {
        return untypedValue(value())
      }
    }
    return hostileApp({ Probe })
  },
  'reply() has a body': (value) => handling(() => reply(200, value())),
  'reply() has a status': (value) => handling(() => reply(untypedValue(value()), 'a')),
  'reply() has headers': (value) => handling(() => reply(200, 'a', untypedValue(value()))),
  'reply() has a header': (value) => handling(() => reply(200, 'a', { 'x-a': untypedValue(value()) })),
  'response.header()': (value) => handling(({ response }) => response.header('x-a', untypedValue(value()))),
  'response.header() has a name': (value) => handling(({ response }) => response.header(untypedValue(value()), 'a')),
  'response.append()': (value) => handling(({ response }) => response.append('x-a', untypedValue(value()))),
  'response.cookie()': (value) => handling(({ response }) => response.cookie('a', untypedValue(value()))),
  'response.cookie() has options': (value) =>
    handling(({ response }) => response.cookie('a', 'b', untypedValue(value()))),
  'response.link()': (value) => handling(({ response }) => response.link('next', untypedValue(value()))),
  'a task throws': (value) =>
    handling(({ response }) => {
      response.after(thrower(value))
      return 'fine'
    }),
  'a task returns': (value) =>
    handling(({ response }) => {
      response.after(() => value())
      return 'fine'
    }),
  'a task is': (value) =>
    handling(({ response }) => {
      response.after(untypedValue(value()))
      return 'fine'
    }),
  'an HttpError has headers': (value) =>
    handling(() => {
      throw new HttpError(400, 'a', { headers: untypedValue({ 'x-a': value() }) })
    }),
  'an HttpError has a member': (value) =>
    handling(() => {
      throw new HttpError(400, 'a', { a: value() })
    }),
  'an HttpError has a cause': (value) =>
    handling(() => {
      throw new HttpError(500, 'a', { cause: value() })
    }),
  'middleware throws': (value) => handling(() => 'fine', { middleware: [onProbe(async () => thrower(value)())] }),
  'middleware returns': (value) => handling(() => 'fine', { middleware: [onProbe(async () => untypedValue(value()))] }),
  'middleware returns after next()': (value) => {
    const after: Middleware = async (_, next) => {
      await next()
      return untypedValue(value())
    }
    return handling(() => 'fine', { middleware: [onProbe(after)] })
  },
  'middleware sets a header': (value) => {
    const adding: Middleware = async (_, next) => (await next()).with({ 'x-a': untypedValue(value()) })
    return handling(() => 'fine', { middleware: [onProbe(adding)] })
  },
  'a decorator returns': (value) => {
    const own = decorator(untypedValue(() => ({ around: () => value() })))
    class Probe extends Route {
      static readonly get = this.contract({ decorators: [untypedValue(own)] })
      get() {
        return 'fine'
      }
    }
    return hostileApp({ Probe })
  },
  'a guard throws': (value) => providing(thrower(value)),
  'a guard returns': (value) => providing(() => value()),
  'a provider yields': (value) =>
    providing(function* yielding() {
      yield value()
    }),
  'a provider throws at its end': (value) =>
    providing(async function* ending() {
      yield 'a'
      thrower(value)()
    }),
  'a schema throws': validating((value) => ({ validate: thrower(value) })),
  'a schema returns': validating((value) => ({ validate: () => value() })),
  'a schema resolves to': validating((value) => ({ validate: async () => value() })),
  'a schema has issues': validating((value) => ({ validate: () => ({ issues: [value()] }) })),
  'a schema has a value': validating((value) => ({ validate: () => ({ value: value() }) })),
  'mapError throws': (value) => handling(FAILING, { mapError: thrower(value) }),
  'mapError returns': (value) => handling(FAILING, { mapError: () => value() }),
  'errorFormat.write throws': (value) =>
    handling(FAILING, { errorFormat: { schema: ANY, mediaType: 'application/json', write: thrower(value) } }),
  'errorFormat.write returns': (value) =>
    handling(FAILING, { errorFormat: { schema: ANY, mediaType: 'application/json', write: () => value() } }),
  'cors.origins returns': (value) => handling(() => 'fine', { cors: { origins: () => value() } }),
  'cors.origins throws': (value) => handling(() => 'fine', { cors: { origins: thrower(value) } }),
  'versioning.from returns': (value) => handling(() => 'fine', { versioning: { from: () => value() } }),
  'a logger throws': (value) => {
    const log = thrower(value)
    const logger = { trace: log, debug: log, info: log, warn: log, error: log, fatal: log }
    return handling(FAILING, { logger })
  },
  'a logger returns': (value) => {
    const log = (): unknown => value()
    const logger = { trace: log, debug: log, info: log, warn: log, error: log, fatal: log }
    return handling(FAILING, { logger })
  },
  'the log gets fields': (value) =>
    handling(({ log }) => {
      log.info(untypedValue(value()), 'a')
      log.info({ a: value() }, 'a')
      return 'fine'
    }),
  'a service method returns': (value) => {
    class Probe extends Route<{ db: { find(): unknown } }> {
      async get() {
        return this.db.find()
      }
    }
    return hostileApp({ Probe }, { services: { db: service(() => ({ find: () => value() })) } })
  },
  'an idempotency store claims': keyedPlace((value) => ({
    claim: () => value(),
    complete: async () => true,
    release: async () => {},
  })),
  'an idempotency store rejects': keyedPlace((value) => ({
    claim: async () => thrower(value)(),
    complete: async () => true,
    release: async () => {},
  })),
  'an idempotency store completes': keyedPlace((value) => ({
    claim: claimed,
    complete: () => value(),
    release: () => value(),
  })),
  'an idempotency store replays': keyedPlace((value) => ({
    claim: async () => ({ state: 'completed', response: value() }),
    complete: async () => true,
    release: async () => {},
  })),
  'an idempotency client is': keyedPlace(
    () => ({ claim: claimed, complete: async () => true, release: async () => {} }),
    (value) => value(),
  ),
  'a limit store returns': (value) => limitedPlace({ store: { take: () => value() } }),
  'a limit store throws': (value) => limitedPlace({ store: { take: thrower(value) } }),
  'a limited client is': (value) => limitedPlace({ by: () => value() }),
  'a limit is': (value) => limitedPlace({ limit: () => value() }),
  'a cost is': (value) => limitedPlace({ cost: () => value() }),
  'a session store gets': (value) => visitPlace({ ...memory, get: () => value() }),
  'a session store sets': (value) => visitPlace({ ...memory, set: () => value() }),
  'a session store throws': (value) => visitPlace({ ...memory, set: thrower(value) }),
}

/** Places with a time limit: the timeout of the method, or of a store. */
export const TIMED_PLACES: ReadonlySet<string> = new Set([
  ...['a handler returns', 'a handler resolves to', 'a handler streams', 'a declared stream is'],
  ...['a service method returns', 'a decorator returns', 'a task returns', 'a limit store returns'],
])
