/** A club whose endpoints need credentials of every kind, for browser tests of the form and of replays. */
import '#test/development.js'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { anyOf, apiKey, basic, bearer, createApp, HttpError, json, reply, Route, type Input } from 'verbena'
import { session, signedIn } from 'verbena/session'
import * as z from 'zod'
import { onCleanup } from '#test/cleanup.js'

const KEY = 'a text of 32 bytes, for tests ...'
/** A picture of 1 by 1 px. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
const MEMBER = { id: 'ada' }

const member = bearer((token) => token === 'b-1' && MEMBER)
const operator = basic({ grace: 'correct horse' })
const byHeader = apiKey({ in: 'header', name: 'X-Club-Key' }, (key) => key === 'h-1' && MEMBER)
const byQuery = apiKey({ in: 'query', name: 'club_key' }, (key) => key === 'q-1' && MEMBER)
const byCookie = apiKey({ in: 'cookie', name: 'club' }, (key) => key === 'c-1' && MEMBER)
const visitor = session({ schema: z.object({ userId: z.string() }), keys: [KEY], cookie: { insecure: true } })
const user = signedIn(visitor, ({ userId }) => ({ id: userId }))

class Members extends Route {
  static readonly get = this.contract({ uses: { member } })
  get({ member }: Input<typeof Members.get>) {
    return member
  }

  static readonly post = this.contract({ uses: { member }, body: z.object({ name: z.string() }), status: 201 })
  post({ body }: Input<typeof Members.post>) {
    return body
  }
}

class Figures extends Route {
  static readonly get = this.contract({ uses: { operator } })
  get() {
    return { figures: 3 }
  }
}

class Lounge extends Route {
  static readonly get = this.contract({ uses: { caller: anyOf(member, operator) } })
  get() {
    return 'welcome'
  }
}

class ByHeader extends Route {
  static readonly path = '/by-header'
  static readonly get = this.contract({ uses: { byHeader } })
  get({ byHeader }: Input<typeof ByHeader.get>) {
    return byHeader
  }
}

class ByQuery extends Route {
  static readonly path = '/by-query'
  static readonly get = this.contract({ uses: { byQuery }, query: z.object({ page: z.int().default(1) }) })
  get({ byQuery, query }: Input<typeof ByQuery.get>) {
    return { ...byQuery, page: query.page }
  }
}

class ByCookie extends Route {
  static readonly path = '/by-cookie'
  static readonly get = this.contract({ uses: { byCookie } })
  get({ byCookie }: Input<typeof ByCookie.get>) {
    return byCookie
  }
}

class Session extends Route {
  static readonly post = this.contract({
    body: z.object({ name: z.string(), password: z.string() }),
    uses: { visitor },
    returns: null,
    public: true,
    errors: [401],
    summary: 'Sign in',
  })
  post({ body, visitor }: Input<typeof Session.post>) {
    if (body.password !== 'hunter2') throw new HttpError(401, 'Name and password do not fit')
    visitor.start({ userId: body.name })
  }
}

class Me extends Route {
  static readonly get = this.contract({ uses: { user } })
  get({ user }: Input<typeof Me.get>) {
    return user
  }
}

class Badges extends Route {
  get() {
    return reply(200, GIF, { 'content-type': 'image/gif', 'x-badge': 'red' })
  }
}

class Slow extends Route {
  async get({ signal }: Input) {
    await wait(60_000, null, { signal }).catch(() => {})
    return 'late'
  }
}

/** Two kinds of members, each with a separate schema. */
class Applications extends Route {
  static readonly post = this.contract({
    body: json(
      z.discriminatedUnion('kind', [
        z
          .object({ kind: z.literal('person'), email: z.email() })
          .meta({ examples: [{ kind: 'person', email: 'ada@example.org' }] }),
        z.object({ kind: z.literal('company'), seats: z.int().min(2) }),
      ]),
    ),
  })
  post({ body }: Input<typeof Applications.post>) {
    return body
  }
}

/** Returns the query. */
class Echo extends Route {
  get({ query }: Input) {
    return { query }
  }
}

/** An app that is listening. */
export interface Club {
  readonly url: string
}

/** Starts the club; closes it at the end of the test. */
export async function openClub(t: TestContext): Promise<Club> {
  const routes = {
    Members,
    Figures,
    Lounge,
    ByHeader,
    ByQuery,
    ByCookie,
    Session,
    Me,
    Badges,
    Slow,
    Applications,
    Echo,
  }
  const app = createApp({ name: 'club', version: '1.0.0', routes, logger: false, signals: false, devConsole: true })
  const { url } = await app.listen()
  onCleanup(t, () => app.close())
  return { url }
}
