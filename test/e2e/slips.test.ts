/**
 * Mistakes that the compiler does not detect, or that were not compiled: the log lines and setup errors for each.
 * `UPDATE_SNAPSHOTS=1` updates the snapshot; review the difference before you commit it.
 */
import '#test/development.js'
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { reply, Route, type Context } from 'verbena'
import * as z from 'zod'
import { captureLog, looseContract, looseGroup, createUntypedApp, type Line } from '#test/apps.js'

const SNAPSHOT = 'test/e2e/slips.txt'
const User = z.object({ id: z.string(), name: z.string() })
const ann = { id: '1', name: 'Ann' }
const find = (): Promise<object> => Promise.resolve(ann)

type Method = (input: Context) => unknown

class ThrownText extends Route {
  static readonly get = this.contract({ returns: User })
  async get(): Promise<never> {
    // oxlint-disable-next-line no-throw-literal -- the slip
    throw 'no such user'
  }
}
class ThrownBare extends Route {
  get() {
    // oxlint-disable-next-line no-throw-literal -- the slip
    throw 'no such user'
  }
}
class Missing extends Route {
  get() {
    return Object(Reflect.get(this, 'mailer')).send()
  }
}

const RETURNS = { returns: User }
const RUN: readonly (readonly [slip: string, route: new () => object])[] = [
  ['a wrong return type', routeOf(RETURNS, async () => ({ id: 1 }))],
  ['a missing return', routeOf(RETURNS, async () => {})],
  ['a forgotten await', routeOf({ returns: z.object({ user: User }) }, async () => ({ user: find() }))],
  ['a forgotten await, in a list', routeOf({ returns: z.array(User) }, async () => [ann, find()])],
  ['a sync method that returns something else', routeOf(RETURNS, () => 'Ann')],
  ['an undeclared reply', routeOf(RETURNS, async () => reply(404))],
  ['an undeclared reply beside declared ones', routeOf({ returns: { 200: User, 201: User } }, () => reply(404))],
  ['an undeclared reply without a contract', routeOf(null, async () => reply(404))],
  ['a thrown text', ThrownText],
  ['a thrown text without a contract', ThrownBare],
  ['a promise left in an answer', routeOf(null, async () => ({ users: find() }))],
  [
    'a header after the stream began',
    routeOf(null, async function* ({ response }) {
      yield 'one'
      response.header('x-total', '2')
      yield 'two'
    }),
  ],
  [
    'a header after the answer',
    routeOf(null, async ({ response }) => {
      response.after(() => response.cookie('seen', '1'))
      return 'done'
    }),
  ],
  ['a service that is missing', Missing],
]

const foreign = (_req: unknown, _res: unknown, next: () => void): void => next()
const SETUP: readonly (readonly [slip: string, options: () => object])[] = [
  [
    'middleware (req, res, next) of the app',
    () => ({ routes: { Users: routeOf(null, () => 1) }, middleware: [foreign] }),
  ],
  [
    'middleware (req, res, next) of a group',
    () => ({ routes: { all: looseGroup({ middleware: [foreign], routes: { Users: routeOf(null, () => 1) } }) } }),
  ],
  [
    'middleware (req, res, next) of a class',
    () => {
      class Users extends routeOf(null, () => 1) {
        static readonly middleware = [foreign]
      }
      return { routes: { Users } }
    },
  ],
]

function routeOf(contract: object | null, method: Method): new () => object {
  class Users extends Route {
    get(input: Context) {
      return method(input)
    }
  }
  class Kept extends Users {
    static readonly get = looseContract({ name: 'Users' }, contract ?? {})
  }
  return contract === null ? Users : Kept
}

/** Formats a log line. For a thrown value without a stack, adds the file that the log points to. */
function textOf({ level, fields, message }: Line): string {
  const error: unknown = fields['err']
  if (!(error instanceof Error)) return `${level} ${message}`
  const [, place] = /\n +at .*?([\w.-]+\.test\.ts):\d+:\d+\)?$/.exec(String(error.stack)) ?? []
  const shown = error.cause === undefined || place === undefined ? '' : `\n    at ${place}`
  return `${level} ${message}\n${error.name}: ${error.message}${shown}`
}

async function logOf(Users: new () => object): Promise<string> {
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes: { Users }, services: { db: 1 }, logger, signals: false, devConsole: false })
  const { url } = await app.listen()
  const status = await fetch(`${url}/users`).then(
    (response) =>
      response.text().then(
        () => response.status,
        () => `${response.status}, broken off`,
      ),
    String,
  )
  await app.close()
  return [status, ...lines.map(textOf)].join('\n')
}

describe('slips', () => {
  const texts: string[] = []
  const keep = (slip: string, text: string): void => {
    texts.push(`# ${slip}\n${text}\n`)
    const update = process.env['UPDATE_SNAPSHOTS'] === '1'
    if (!update)
      assert.ok(readFileSync(SNAPSHOT, 'utf8').includes(`# ${slip}\n${text}\n`), `Not in ${SNAPSHOT}: ${text}`)
  }

  for (const [slip, route] of RUN) {
    it(`logs class, method and fix for ${slip}`, async () => {
      const text = await logOf(route)
      assert.match(text, /"Users\.get"/)
      keep(slip, text)
    })
  }

  for (const [slip, options] of SETUP) {
    it(`throws a setup error for ${slip}`, () => {
      assert.throws(
        () => createUntypedApp(options()),
        (error) => {
          keep(slip, String(error))
          return true
        },
      )
    })
  }

  after(() => {
    const text = texts.join('\n')
    if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(SNAPSHOT, text)
    assert.equal(text, readFileSync(SNAPSHOT, 'utf8'), `${SNAPSHOT} differs; UPDATE_SNAPSHOTS=1 updates it`)
  })
})
