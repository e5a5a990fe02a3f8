/** Attacks that spell the path of a guarded endpoint differently, so that an open endpoint with a parameter matches. */
import { createApp, HttpError, provide, Route, type App, type Input } from 'verbena'
import { testRows, type ExpectedResponse, type Row } from '#test/attack-rows.js'

const guard = provide({ errors: [401] }, () => {
  throw new HttpError(401, 'guarded')
})

class Alive extends Route {
  get() {
    return 'alive'
  }
}

/** Creates a guarded or open class that returns its parameters. */
function routeAt(path: string, isGuarded: boolean) {
  return class extends Route {
    static readonly path: string = path
    static readonly uses = isGuarded ? { guard } : {}
    get({ params }: Input) {
      return params
    }
    delete({ params }: Input) {
      return params
    }
  }
}

const GUARDED = ['/files/secret', '/users/@me', '/docs/private/keys', '/orgs/{org}/secret', '/ä', '/a"b', '/x/y z']
const OPEN = ['/files/{name}', '/users/{id}', '/users/{id}/posts', '/docs/{rest...}', '/orgs/{org}/{page}', '/{top}']
const OF_TWO = '/{one}/{two}'

function guardedApp(): App {
  const places = [
    ...GUARDED.map((path) => routeAt(path, true)),
    ...[...OPEN, OF_TWO].map((path) => routeAt(path, false)),
  ]
  const routes = Object.fromEntries(places.map((place, at) => [`Place${at}`, place]))
  return createApp({ routes: { Alive, ...routes }, logger: false, signals: false })
}

const NOT_FOUND: ExpectedResponse = { status: 404 }
const LITERAL = 'RFC 3986 §6.2.2.2: both spellings identify the same resource'

/** Paths of guarded endpoints, in spellings that another endpoint would match. */
const DISGUISED = [
  '/files/%73ecret',
  '/files/secre%74',
  '/files/%73%65%63%72%65%74',
  '/users/%40me',
  '/users/@%6de',
  '/users/@%6De',
  '/docs/%70rivate/keys',
  '/docs/private/%6beys',
  '/docs/%70rivate/%6Beys',
  '/%64ocs/private/keys',
  '/orgs/7/%73ecret',
  '/orgs/%37/%73ecret',
  '/a%CC%88',
  '/a%cc%88',
  '/%61%22b',
  '/x/%79%20z',
]

function asked(rule: string, target: string, expect: ExpectedResponse, method = 'GET'): Row {
  return { rule: `${rule} ${method} ${target}`, source: LITERAL, reach: 'both', send: { target, method }, expect }
}

testRows('literals in other spellings', guardedApp, [
  ...DISGUISED.flatMap((target) =>
    ['GET', 'DELETE'].map((method) => asked('responds 404 to', target, NOT_FOUND, method)),
  ),
  // Only over a socket, because `Request` would encode the quote.
  {
    ...asked('responds 404 to', '/a"b', NOT_FOUND),
    reach: 'wire',
    send: 'GET /a"b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  },
  asked('runs the guard of', '/files/secret', { status: 401 }),
  asked('runs the guard of', '/users/@me', { status: 401 }),
  asked('runs the guard of', '/orgs/%37/secret', { status: 401 }),
  asked('runs the guard of', '/%C3%A4', { status: 401 }),
  asked('runs the guard, ignoring the case of hex digits, of', '/%c3%a4', { status: 401 }),
  asked('runs the guard of', '/x/y%20z', { status: 401 }),
  asked('passes a parameter of', '/files/%73ecrets', { status: 200, body: { name: 'secrets' } }),
  asked('passes a parameter of', '/files/%2573ecret', { status: 200, body: { name: '%73ecret' } }),
  asked('passes a parameter of', '/users/%40you/posts', { status: 200, body: { id: '@you' } }),
  asked('passes a parameter in its original Unicode form of', '/users/o%CC%88', {
    status: 200,
    body: { id: 'o\u0308' },
  }),
  asked('passes a parameter of', '/docs/%61/b', { status: 200, body: { rest: 'a/b' } }),
])

testRows('backslashes in wildcards', guardedApp, [
  ...['/docs/a%5Cb', '/docs/a%5cb', '/docs/..%5C..%5Cwindows', '/docs/a/%5C'].map((target) =>
    asked('rejects the backslash in', target, { status: 400, body: /an encoded backslash/ }),
  ),
  asked('accepts an encoded backslash in one segment:', '/files/a%5Cb', { status: 200, body: { name: 'a\\b' } }),
])
