/** Validation of the options `cors`, `securityHeaders` and `compression` of apps and groups. */
import { describe, it } from 'node:test'
import { assertSetupError, createUntypedApp, looseGroup } from '#test/apps.js'

const origins = ['https://app.example']

/** Invalid values, and parts of their messages. */
const REFUSED: readonly (readonly [key: 'cors' | 'securityHeaders', value: unknown, ...says: string[]])[] = [
  ['cors', true, 'not true', "{ origins: ['https://app.example'] }"],
  ['cors', null, 'not null'],
  ['cors', {}, '"cors.origins"', 'it is missing'],
  ['cors', { origin: origins }, 'it is unknown. Did you mean "origins"? Valid options are origins, methods'],
  ['cors', { origins: [/app/] }, 'it must contain strings, not a plain object'],
  ['cors', { origins: 'app.example' }, '"app.example", but an origin must be a scheme', 'Write "https://app.example"'],
  ['cors', { origins: 'https://app.example/' }, 'Write "https://app.example"'],
  ['cors', { origins: 'HTTPS://App.example:443' }, 'Write "https://app.example"'],
  ['cors', { origins: 'http://ä.example' }, 'Write "http://xn--4ca.example"'],
  ['cors', { origins: 'https://a.*.example' }, 'Write "https://'],
  ['cors', { origins: 'app:' }, 'Write "https://app'],
  ['cors', { origins: 'not://an origin' }, 'Write "https://app.example"'],
  [
    'cors',
    { origins: '*', credentials: true },
    'it contains "*" or "null", but "credentials" is true',
    'List trusted values',
  ],
  ['cors', { origins: ['null'], credentials: true }, '"cors.origins"', 'it contains'],
  ['cors', { origins, headers: ['*'], credentials: true }, '"cors.headers"', 'it contains'],
  ['cors', { origins, expose: ['*'], credentials: true }, '"cors.expose"', 'it contains'],
  ['cors', { origins, credentials: 'yes' }, '"cors.credentials"', 'it must be true or false'],
  ['cors', { origins, methods: ['get'] }, 'it must be an array of methods', "['GET', 'POST']"],
  ['cors', { origins, methods: 'GET' }, '"cors.methods"'],
  ['cors', { origins, headers: ['a b'] }, 'it must be an array of header names'],
  ['cors', { origins, expose: 'x' }, 'it must be an array of header names'],
  ['cors', { origins, maxAge: -1 }, 'it must be a non-negative integer of ms', '600_000'],
  ['cors', { origins, maxAge: 1.5 }, '"cors.maxAge"'],
  ['securityHeaders', 'strict', 'not "strict"', "'api', 'html'"],
  ['securityHeaders', { pages: {} }, '"securityHeaders.pages"', 'it is unknown. Valid options are api, html'],
  ['securityHeaders', { api: 'none' }, 'it must contain valid header names and values'],
  ['securityHeaders', { html: { 'x-frame-options': false } }, 'it must contain'],
  ['securityHeaders', { html: { 'x frame': 'DENY' } }, 'it must contain'],
  ['securityHeaders', { html: { 'x-frame-options': 'DENY\r\nx: y' } }, 'it must contain'],
]

describe('cors, securityHeaders and compression', () => {
  for (const [key, value, ...says] of REFUSED) {
    it(`rejects ${key}: ${JSON.stringify(value)} in an app and in a group`, () => {
      assertSetupError(
        () => createUntypedApp({ routes: {}, [key]: value }),
        'OPTION_INVALID',
        `option "${key}`,
        ...says,
      )
      assertSetupError(
        () => looseGroup({ routes: {}, [key]: value }),
        'OPTION_INVALID',
        `option "${key}`,
        'of group()',
        ...says,
      )
    })
  }

  const NOT_COMPRESSION: readonly (readonly [value: unknown, ...says: string[]])[] = [
    [true, 'not true', '"compression: {}"'],
    [{ level: 9 }, '"compression.level"', 'Valid options are encodings, threshold, types'],
    [{ encodings: [] }, 'it must be a non-empty array of codings', "['zstd', 'br', 'gzip']"],
    [{ encodings: ['deflate'] }, '"compression.encodings"'],
    [{ threshold: '1kb' }, 'it must be a non-negative integer of bytes', '1_024'],
    [{ types: ['json'] }, 'it must be a non-empty array of media types', "'text/*'"],
    [{ types: [] }, '"compression.types"'],
  ]
  for (const [value, ...says] of NOT_COMPRESSION) {
    it(`rejects compression: ${JSON.stringify(value)}`, () => {
      assertSetupError(
        () => createUntypedApp({ routes: {}, compression: value }),
        'OPTION_INVALID',
        'option "compression',
        ...says,
      )
    })
  }

  it('accepts compression in an app, but not in a group', () => {
    createUntypedApp({
      routes: {},
      compression: { encodings: ['gzip'], threshold: 0, types: ['*/*', 'application/vnd.x+json'] },
    })
    assertSetupError(
      () => looseGroup({ routes: {}, compression: {} }),
      'OPTION_INVALID',
      '"compression" of group(): it is unknown',
    )
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
    it(`accepts ${key}: ${JSON.stringify(value)}`, () => {
      createUntypedApp({ routes: { '/a': looseGroup({ routes: {}, [key]: value }) }, [key]: value })
    })
  }

  it('accepts cors: false and securityHeaders: false in a group, but not in an app', () => {
    looseGroup({ routes: {}, cors: false, securityHeaders: false })
    assertSetupError(() => createUntypedApp({ routes: {}, cors: false }), 'OPTION_INVALID', 'not false')
  })
})
