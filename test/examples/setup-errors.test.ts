/** The example messages in `docs/errors.md` equal the messages of the code. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { afterEach, describe, it } from 'node:test'
import { anyOf, bearer, createApp, environment, provide, Route, service, SetupError, type AnyProvider } from 'verbena'
import { log, version } from 'verbena/decorators'
import { rateLimit } from 'verbena/limits'
import { authorization } from 'verbena/prove'
import { testApp } from 'verbena/testing'
import * as z from 'zod'

const PAGE = readFileSync('docs/errors.md', 'utf8')
const SECTION = /^### `(?<code>[A-Z_]+)`$[^]*?^```text\n(?<message>.*)\n```$/gm

class Home extends Route {
  async get() {
    return 'home'
  }
}

/** Calls `createApp` as JavaScript code can, with mistakes that the compiler would report. */
function make(options: object): unknown {
  return Reflect.apply(createApp, undefined, [options])
}

/** Creates a contract as JavaScript code can. */
function contractOf(owner: object, spec: object): unknown {
  return Reflect.apply(Route.contract, owner, [spec])
}

function routeWithPath(path: string): typeof Home {
  return class extends Home {
    static readonly path = path
  }
}

function routeWithVersion(path: string, constraint: string): typeof Home {
  return class extends Home {
    static readonly path = path
    static readonly decorators = [version(constraint)]
  }
}

function routeWithUses(uses: object, base: typeof Home = Home): typeof Home {
  return class extends base {
    static readonly uses = uses
  }
}

/** A decorator that replaces the method. */
function replaced(_method: object, _context: ClassMethodDecoratorContext): () => Promise<string> {
  return async () => 'another'
}

/** Causes the documented error of each code. */
const MISTAKES: Readonly<Record<string, () => unknown>> = {
  APP_STATE: async () => {
    const app = createApp({ routes: { Home }, logger: false })
    await app.close()
    await app.listen()
  },
  CHECK_FAILED: () => make({ routes: { Home }, strict: true }),
  CONTRACT_INVALID: () => {
    class UserProfiles extends Home {
      static readonly get = contractOf(UserProfiles, { body: anything })
    }
    make({ routes: { UserProfiles } })
  },
  CONTRACT_UNUSED: () => {
    class UserProfiles extends Home {
      static readonly post = contractOf(UserProfiles, {})
    }
    make({ routes: { UserProfiles } })
  },
  DECORATOR_HIDDEN: () => {
    class Users extends Home {
      @replaced @log override async get() {
        return 'users'
      }
    }
    make({ routes: { Users } })
  },
  DECORATOR_INVALID: () =>
    make({
      routes: {
        Users: class extends Home {
          static readonly decorators = ['log']
        },
      },
    }),
  DECORATOR_MISUSED: () => {
    class Users extends Home {
      // @ts-expect-error - the compiler refuses it too
      @log getUser() {}
    }
    return Users
  },
  DECORATOR_REPEATED: () => {
    class Users extends Home {
      @log @log({ level: 'debug' }) override async get() {
        return 'users'
      }
    }
    return Users
  },
  ENVIRONMENT_INVALID: () => {
    const schema = z.object({ DATABASE_URL: z.string(), SESSION_KEY: z.string(), PORT: z.number() })
    return environment(schema, { PORT: 'eighty' })
  },
  LISTEN_FAILED: async () => {
    await using first = createApp({ routes: { Home }, logger: false })
    const { port } = await first.listen()
    try {
      await createApp({ routes: { Home }, logger: false }).listen({ port })
    } catch (error) {
      throw error instanceof SetupError
        ? new SetupError(error.code, error.message.replace(`:${port}:`, ':3000:'))
        : error
    }
  },
  MIDDLEWARE_INVALID: () => make({ routes: { Home }, middleware: [async () => undefined, {}] }),
  OPTION_INVALID: () => rateLimit({ by: ({ request }) => request.ip, limit: 100, window: -1 }),
  PROOF_INVALID: () => {
    process.env['NODE_ENV'] = 'test'
    return authorization(createApp({ routes: { Home } }), { actors: { nobody: {} }, file: 'authorization.txt' })
  },
  PROVIDER_CYCLE: () => {
    const uses: Record<string, AnyProvider> = {}
    const user = provide({ uses }, () => 'user')
    uses['tenant'] = provide({ uses: { user } }, () => 'tenant')
    make({ routes: { Users: routeWithUses({ user }) } })
  },
  PROVIDER_INVALID: () =>
    anyOf(
      bearer(() => 'user'),
      bearer(() => 'robot'),
    ),
  ROUTE_CONFLICT: () =>
    make({ routes: { UserById: routeWithPath('/users/{id}'), Members: routeWithPath('/users/{name}') } }),
  ROUTE_EMPTY: () => make({ routes: { Reports: class extends Route {} } }),
  ROUTE_FIELD: () => {
    class UserById extends Home {
      // @ts-expect-error - a path is static
      readonly path = '/users/{id}'
    }
    make({ routes: { UserById } })
  },
  ROUTE_INVALID: () => make({ routes: { UserProfiles: class {} } }),
  ROUTE_NAME: () => {
    class _a extends Home {}
    make({ routes: [_a] })
  },
  SCHEMA_INEXPRESSIBLE: () => {
    class Users extends Route {
      static readonly get = contractOf(this, { query: z.object({ filter: z.object({ name: z.string() }) }) })
      get() {}
    }
    make({ routes: { Users } })
  },
  SCHEMA_INVALID: () => {
    class UserProfiles extends Home {}
    contractOf(UserProfiles, { query: { limit: anything } })
  },
  SERVICE_FAILED: async () => {
    const db = service(() => {
      throw new Error('connect ECONNREFUSED 127.0.0.1:5432')
    })
    await createApp({ services: { db }, routes: { Home }, logger: false }).start()
  },
  SERVICE_MISSING: async () => {
    const repo = service(() => new Map())
    const orders = service((services) => Reflect.get(Object(services), 'repo'))
    await createApp({ services: { orders, repo }, routes: { Home }, logger: false }).start()
  },
  SERVICE_NAME: () => make({ routes: { Home }, services: { log: console } }),
  TEMPLATE_INVALID: () => make({ routes: { UserById: routeWithPath('/users/:id') } }),
  TEST_INVALID: () => {
    const app = createApp({ routes: { Home }, services: { db: {}, mailer: {} }, logger: false })
    return Reflect.apply(testApp, undefined, [app, { services: { dbb: {} } }])
  },
  USES_INVALID: () => {
    const Base = routeWithUses({ user: provide({}, () => 'user') })
    make({ routes: { Users: routeWithUses({}, Base) } })
  },
  VERSION_CONFLICT: () =>
    make({ routes: { UsersV1: routeWithVersion('/users', '1.x'), UsersV2: routeWithVersion('/users', '>=1.5') } }),
  VERSION_CONSTRAINT: () => version('>=1.2.0-beta'),
}

const anything = {
  '~standard': { version: 1, vendor: 'example', validate: (value: unknown) => ({ value }) },
}

const { NODE_ENV: mode } = process.env

describe('the messages in docs/errors.md', () => {
  afterEach(() => {
    process.env['NODE_ENV'] = mode
  })
  const shown = [...PAGE.matchAll(SECTION)].map(({ groups }) => [groups?.['code'] ?? '', groups?.['message']] as const)

  it('tests the message of each code', () => {
    assert.deepEqual(
      shown.map(([code]) => code),
      Object.keys(MISTAKES),
    )
  })

  for (const [code, message] of shown) {
    it(`shows the message that the code throws: ${code}`, async () => {
      const error = await Promise.resolve()
        .then(MISTAKES[code])
        .catch((thrown: unknown) => thrown)
      assert.ok(error instanceof SetupError, `no setup error was thrown, but ${String(error)}`)
      assert.deepEqual({ code: error.code, message: error.message }, { code, message })
    })

    it(`throws a stack that begins at the caller's code: ${code}`, async () => {
      const error = await Promise.resolve()
        .then(MISTAKES[code])
        .catch((thrown: unknown) => thrown)
      assert.ok(error instanceof SetupError)
      const [headline, ...frames] = String(error.stack)
        .split('\n')
        .slice(error.message.split('\n').length - 1)
      assert.match(headline ?? '', /[^.]$/)
      // Skips the frames of `Reflect.apply`, which this test uses to call functions without type checks.
      const [first] = frames.filter((line) => !line.includes('Reflect.apply'))
      // A compiled helper for decorators has no place in the source.
      assert.match(first ?? '', /setup-errors\.test\.[jt]s/, error.stack)
    })
  }
})
