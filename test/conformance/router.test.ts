/** The template and the parameters that each path matches, with several orders of registration. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lookUp, routerOf } from '../router/routes.js'

type Case = readonly [path: string, template: string | undefined, params?: Readonly<Record<string, string>>]

interface Suite {
  readonly about: string
  readonly templates: readonly string[]
  readonly cases: readonly Case[]
}

const SUITES: readonly Suite[] = [
  {
    about: 'literals',
    templates: ['/', '/users', '/users/all', '/Users', '/a.b', '/äpfel', '/a b'],
    cases: [
      ['/', '/'],
      ['/users', '/users'],
      ['/Users', '/Users'],
      ['/USERS', undefined],
      ['/users/', undefined],
      ['//users', undefined],
      ['/users//all', undefined],
      ['/users/all', '/users/all'],
      ['/user', undefined],
      ['/userss', undefined],
      ['/aXb', undefined],
      ['/%C3%A4pfel', '/äpfel'],
      ['/a%CC%88pfel', undefined],
      ['/a%20b', '/a b'],
      ['/%75sers', undefined],
    ],
  },
  {
    about: 'parameters',
    templates: ['/users/{id}', '/users/{id}/posts', '/users/{uid}/posts/{post}', '/{section}'],
    cases: [
      ['/users/7', '/users/{id}', { id: '7' }],
      ['/users/7/posts', '/users/{id}/posts', { id: '7' }],
      ['/users/7/posts/8', '/users/{uid}/posts/{post}', { uid: '7', post: '8' }],
      ['/users', '/{section}', { section: 'users' }],
      ['/users/', undefined],
      ['/users//posts', undefined],
      ['/users/7/', undefined],
      ['/users/7/post', undefined],
      ['/users/7/postss', undefined],
      ['/users/7/posts/', undefined],
      ['/users/7/posts/8/9', undefined],
      ['/', undefined],
      ['/users/a%2Fb', '/users/{id}', { id: 'a/b' }],
      ['/users/%F0%9F%8D%8E', '/users/{id}', { id: '🍎' }],
      ['/users/a+b', '/users/{id}', { id: 'a+b' }],
      ['/users/{id}', '/users/{id}', { id: '{id}' }],
      ['/users/__proto__', '/users/{id}', { id: '__proto__' }],
    ],
  },
  {
    about: 'literals beside parameters that share characters',
    templates: ['/users/me', '/users/{id}', '/users/meta', '/users/me/{x}', '/users/{id}/edit', '/users/mex/{y}/z'],
    cases: [
      ['/users/me', '/users/me'],
      ['/users/meta', '/users/meta'],
      ['/users/met', '/users/{id}', { id: 'met' }],
      ['/users/m', '/users/{id}', { id: 'm' }],
      ['/users/metadata', '/users/{id}', { id: 'metadata' }],
      ['/users/me/edit', '/users/me/{x}', { x: 'edit' }],
      ['/users/meta/edit', '/users/{id}/edit', { id: 'meta' }],
      ['/users/mex/edit', '/users/{id}/edit', { id: 'mex' }],
      ['/users/mex/1/z', '/users/mex/{y}/z', { y: '1' }],
      ['/users/mex/1/q', undefined],
    ],
  },
  {
    about: 'literals in other spellings',
    templates: ['/files/secret', '/files/{name}', '/users/@me', '/users/{id}', '/{x}/b/{y}/ä', '/a/{rest...}'],
    cases: [
      ['/files/secret', '/files/secret'],
      ['/files/%73ecret', undefined],
      ['/%66iles/secret', undefined],
      ['/files/secret%20', '/files/{name}', { name: 'secret ' }],
      ['/files/SECRET', '/files/{name}', { name: 'SECRET' }],
      ['/files/%2573ecret', '/files/{name}', { name: '%73ecret' }],
      ['/users/@me', '/users/@me'],
      ['/users/%40me', undefined],
      ['/users/%40you', '/users/{id}', { id: '@you' }],
      ['/1/b/2/%C3%A4', '/{x}/b/{y}/ä', { x: '1', y: '2' }],
      ['/a/b/2/a%CC%88', undefined],
      ['/a/%62/2/%C3%A4', undefined],
      ['/a/%62', undefined],
      ['/a/c/%62', '/a/{rest...}', { rest: 'c/b' }],
    ],
  },
  {
    about: 'wildcards',
    templates: ['/a/{rest...}', '/a/{x}/b', '/a/b', '/a/{x}/{y}/c/{z...}'],
    cases: [
      ['/a/b', '/a/b'],
      ['/a/1', '/a/{rest...}', { rest: '1' }],
      ['/a/1/b', '/a/{x}/b', { x: '1' }],
      ['/a/1/c', '/a/{rest...}', { rest: '1/c' }],
      ['/a/1/b/2', '/a/{rest...}', { rest: '1/b/2' }],
      ['/a/1/2/c/3/4', '/a/{x}/{y}/c/{z...}', { x: '1', y: '2', z: '3/4' }],
      ['/a/1/2/c', '/a/{rest...}', { rest: '1/2/c' }],
      ['/a', undefined],
      ['/a/', undefined],
      ['/a//b', undefined],
      ['/a/b//c', undefined],
      ['/a/b/', undefined],
      ['/a/b%20c/d', '/a/{rest...}', { rest: 'b c/d' }],
    ],
  },
  {
    about: 'a wildcard at the root',
    templates: ['/{rest...}', '/{one}', '/'],
    cases: [
      ['/', '/'],
      ['/a', '/{one}', { one: 'a' }],
      ['/a/b', '/{rest...}', { rest: 'a/b' }],
      ['//', undefined],
      ['//a', undefined],
    ],
  },
  {
    about: 'backtracking',
    templates: ['/a/b/c/{x}', '/a/{p}/d/{x}', '/{q}/b/e/{x}', '/{q}/{r}/f/{x}', '/a/{rest...}'],
    cases: [
      ['/a/b/c/1', '/a/b/c/{x}', { x: '1' }],
      ['/a/b/d/1', '/a/{p}/d/{x}', { p: 'b', x: '1' }],
      ['/a/b/e/1', '/a/{rest...}', { rest: 'b/e/1' }],
      ['/z/b/e/1', '/{q}/b/e/{x}', { q: 'z', x: '1' }],
      ['/z/b/f/1', '/{q}/{r}/f/{x}', { q: 'z', r: 'b', x: '1' }],
      ['/z/b/g/1', undefined],
    ],
  },
]

function ordersOf(templates: readonly string[]): (readonly string[])[] {
  const rotations = templates.map((_, at) => [...templates.slice(at), ...templates.slice(0, at)])
  return [...rotations, templates.toReversed()]
}

for (const { about, templates, cases } of SUITES) {
  describe(`the router with ${about}`, () => {
    const routers = ordersOf(templates).map(routerOf)
    for (const [path, template, params = {}] of cases) {
      it(`finds ${template === undefined ? 'nothing' : `"${template}"`} for "${path}"`, () => {
        const expected = template === undefined ? undefined : { value: template, params }
        for (const router of routers) assert.deepEqual(lookUp(router, path), expected)
      })
    }
  })
}
