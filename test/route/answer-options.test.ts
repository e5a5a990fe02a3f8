/** What the options `cors` and `securityHeaders` of apps and groups must be. */
import { describe, it } from 'node:test'
import { assertSetupError, createUntypedApp, looseGroup } from '#test/apps.js'

const origins = ['https://app.example']

/** Values, and what is said of them. */
const REFUSED: readonly (readonly [key: 'cors' | 'securityHeaders', value: unknown, ...says: string[]])[] = [
  ['cors', true, 'it is a boolean', "{ origins: ['https://app.example'] }"],
  ['cors', null, 'it is null'],
  ['cors', {}, '"origins" has undefined'],
  ['cors', { origin: origins }, 'unknown key "origin". Did you mean "origins"? Known are origins, methods'],
  ['cors', { origins: [] }, '"origins" is empty'],
  ['cors', { origins: [/app/] }, '"origins" has a plain object'],
  ['cors', { origins: 'app.example' }, '"app.example", which is no scheme', 'Write "https://app.example"'],
  ['cors', { origins: 'https://app.example/' }, 'Write "https://app.example"'],
  ['cors', { origins: 'HTTPS://App.example:443' }, 'Write "https://app.example"'],
  ['cors', { origins: 'http://ä.example' }, 'Write "http://xn--4ca.example"'],
  ['cors', { origins: 'https://a.*.example' }, 'Write "https://'],
  ['cors', { origins: 'app:' }, 'Write "https://app'],
  ['cors', { origins: 'not://an origin' }, 'Write "https://app.example"'],
  [
    'cors',
    { origins: '*', credentials: true },
    '"origins" has "*" or "null" beside "credentials"',
    'Name what you trust',
  ],
  ['cors', { origins: ['null'], credentials: true }, '"origins" has'],
  ['cors', { origins, headers: ['*'], credentials: true }, '"headers" has'],
  ['cors', { origins, expose: ['*'], credentials: true }, '"expose" has'],
  ['cors', { origins, credentials: 'yes' }, '"credentials" is neither true nor false'],
  ['cors', { origins, methods: ['get'] }, '"methods" is no list of methods', "['GET', 'POST']"],
  ['cors', { origins, methods: 'GET' }, '"methods"'],
  ['cors', { origins, headers: ['a b'] }, '"headers" is no list of names'],
  ['cors', { origins, expose: 'x' }, '"expose" is no list of names'],
  ['cors', { origins, maxAge: -1 }, '"maxAge" is not a whole number of ms', '600_000'],
  ['cors', { origins, maxAge: 1.5 }, '"maxAge"'],
  ['securityHeaders', 'strict', 'it is a string', "'api', 'html'"],
  ['securityHeaders', { pages: {} }, 'unknown key "pages"', 'Known are api, html'],
  ['securityHeaders', { api: 'none' }, '"api" has what cannot stand in a header'],
  ['securityHeaders', { html: { 'x-frame-options': false } }, '"html" has'],
  ['securityHeaders', { html: { 'x frame': 'DENY' } }, '"html" has'],
  ['securityHeaders', { html: { 'x-frame-options': 'DENY\r\nx: y' } }, '"html" has'],
]

describe('options of every answer', () => {
  for (const [key, value, ...says] of REFUSED) {
    it(`refuses ${key}: ${JSON.stringify(value)} of an app and of a group`, () => {
      assertSetupError(
        () => createUntypedApp({ routes: {}, [key]: value }),
        'OPTION_INVALID',
        `option "${key}"`,
        ...says,
      )
      assertSetupError(() => looseGroup({ routes: {}, [key]: value }), 'ROUTE_INVALID', `"${key}" of a group`, ...says)
    })
  }

  const NOT_COMPRESSION: readonly (readonly [value: unknown, ...says: string[]])[] = [
    [true, 'it is a boolean', '"compression: {}"'],
    [{ level: 9 }, 'unknown key "level"', 'Known are encodings, threshold, types'],
    [{ encodings: [] }, '"encodings" is no list of codings', "['zstd', 'br', 'gzip']"],
    [{ encodings: ['deflate'] }, '"encodings"'],
    [{ threshold: '1kb' }, '"threshold" is not a whole number of bytes', '1_024'],
    [{ types: ['json'] }, '"types" is no list of media types', "'text/*'"],
    [{ types: [] }, '"types"'],
  ]
  for (const [value, ...says] of NOT_COMPRESSION) {
    it(`refuses compression: ${JSON.stringify(value)}`, () => {
      assertSetupError(
        () => createUntypedApp({ routes: {}, compression: value }),
        'OPTION_INVALID',
        'option "compression"',
        ...says,
      )
    })
  }

  it('takes compression of an app alone', () => {
    createUntypedApp({
      routes: {},
      compression: { encodings: ['gzip'], threshold: 0, types: ['*/*', 'application/vnd.x+json'] },
    })
    assertSetupError(() => looseGroup({ routes: {}, compression: {} }), 'ROUTE_INVALID', 'unknown key "compression"')
  })

  const TAKEN: readonly (readonly [key: string, value: unknown])[] = [
    ['cors', { origins: () => true, credentials: true }],
    ['cors', { origins: ['https://*.app.example:8443', 'http://localhost:3000', 'http://[::1]:80801'.slice(0, 17)] }],
    ['cors', { origins: ['capacitor://localhost', 'chrome-extension://abcdef', 'null'] }],
    ['cors', { origins: 'https://app.example', methods: ['GET', 'PATCH'], maxAge: 0 }],
    ['securityHeaders', 'api'],
    ['securityHeaders', { api: { 'x-frame-options': null }, html: {} }],
  ]
  for (const [key, value] of TAKEN) {
    it(`takes ${key}: ${JSON.stringify(value)}`, () => {
      createUntypedApp({ routes: { '/a': looseGroup({ routes: {}, [key]: value }) }, [key]: value })
    })
  }

  it('takes false of a group alone', () => {
    looseGroup({ routes: {}, cors: false, securityHeaders: false })
    assertSetupError(() => createUntypedApp({ routes: {}, cors: false }), 'OPTION_INVALID', 'it is a boolean')
  })
})
