import { describe, it } from 'node:test'
import { checkAttachOptions, checkListenOptions, checkAppOptions, OPTION_NAMES } from '#src/setup/check-options.js'
import { DEFAULTS } from '#src/setup/options.js'
import { assertSetupError } from '#test/apps.js'

const log = { debug() {}, info() {}, warn() {}, error() {} }

const REFUSED: readonly (readonly [options: object, ...says: string[]])[] = [
  [{ rout: {} }, 'option "rout"', 'Did you mean "routes"?', 'Valid options are routes, name'],
  [{ servics: {} }, 'option "servics"', 'Did you mean "services"?'],
  [{ colour: 1 }, 'option "colour"', 'it is unknown. Valid options are'],
  [{ name: 7 }, 'option "name"', 'not 7', 'be a string'],
  [{ version: ['1'] }, 'option "version"', 'not an array'],
  [{ services: 'db' }, 'option "services"', 'be an object'],
  [{ limits: { bodyy: 1 } }, 'option "limits.bodyy"', 'Did you mean "body"?', 'Valid options are body, depth, keys'],
  [{ limits: { body: -1 } }, 'option "limits.body"', 'not -1', 'non-negative integer'],
  [{ limits: { body: 1.5 } }, 'option "limits.body"', 'not 1.5'],
  [{ limits: { body: '1mb' } }, 'option "limits.body"', 'not a string'],
  [{ limits: { keys: Number.POSITIVE_INFINITY } }, 'option "limits.keys"', 'not Infinity'],
  [{ limits: { depth: Number.NaN } }, 'option "limits.depth"', 'not NaN'],
  [{ limits: null }, 'option "limits"', 'not null'],
  [{ limits: 1000 }, 'option "limits"', 'be an object'],
  [{ timeouts: { close: null } }, 'option "timeouts.close"', 'not null'],
  [{ timeouts: { closed: 1 } }, 'option "timeouts.closed"', 'Did you mean "close"?'],
  [{ timeouts: { close: 2 ** 31 } }, 'option "timeouts.close"', 'to 2147483647'],
  [{ timeouts: [] }, 'option "timeouts"', 'not an empty array'],
  [{ mapError: 'no' }, 'option "mapError"', '(error) => undefined'],
  [{ mapError: [() => undefined, {}] }, 'option "mapError"'],
  [{ mapError: null }, 'option "mapError"', 'not null'],
  [{ logger: {} }, 'option "logger"', 'debug, info, warn, error'],
  [{ logger: { ...log, warn: 'warn' } }, 'option "logger"'],
  [{ logger: true }, 'option "logger"', 'not true'],
  [{ logger: { level: 'info', debug() {} } }, 'option "logger"', 'debug, info, warn, error'],
  [{ logger: { level: 'trace' } }, 'option "logger.level"', "be 'debug', 'info', 'warn' or 'error', not \"trace\""],
  [{ logger: { level: 20 } }, 'option "logger.level"', 'not 20'],
  [{ logger: { level: 'info', levels: 1 } }, 'option "logger.levels"', 'Did you mean "level"?'],
  [{ logger: null }, 'option "logger"', 'not null'],
  [{ trailingSlash: 'keep' }, 'option "trailingSlash"', "be 'strict', 'ignore' or 'redirect'"],
  [{ trailingSlash: true }, 'option "trailingSlash"'],
  [{ trustProxy: '10.0.0.1' }, 'option "trustProxy"', "['10.0.0.0/8']"],
  [{ trustProxy: [10] }, 'option "trustProxy"'],
  [{ validateResponses: 'no' }, 'option "validateResponses"', 'be true or false'],
  [{ signals: 1 }, 'option "signals"', 'be true or false'],
  [{ fastPath: 'yes' }, 'option "fastPath"', 'be true or false'],
  [{ jsonSchema: { zod: {} } }, 'option "jsonSchema"', 'converters by vendor'],
  [{ jsonSchema: () => ({}) }, 'option "jsonSchema"'],
  [{ requestId: true }, 'option "requestId"', 'be an object'],
  [{ requestId: { header: 'x-id' } }, 'option "requestId.header"', 'be true or false'],
  [{ requestId: { headers: true } }, 'option "requestId.headers"', 'Did you mean "header"?'],
  [{ versioning: 'x-version' }, 'option "versioning"', 'not a string', 'be an object'],
  [
    { versioning: { form: 'x' } },
    'option "versioning.form"',
    'Did you mean "from"?',
    'Valid options are from, default, require, description',
  ],
  [{ versioning: { from: '' } }, 'option "versioning.from"', 'be a header name'],
  [{ versioning: { from: 'x version' } }, 'option "versioning.from"'],
  [{ versioning: { from: null } }, 'option "versioning.from"', 'not null'],
  [{ versioning: { from: {} } }, 'option "versioning.from"', "{ mediaType: 'version' }"],
  [{ versioning: { from: { mediaType: 'a b' } } }, 'option "versioning.from"'],
  [{ versioning: { from: { mediaType: 1 } } }, 'option "versioning.from"'],
  [{ versioning: { from: { mediaType: 'v', header: 'v' } } }, 'option "versioning.from"'],
  [{ versioning: { default: 'latest' } }, 'option "versioning.default"', 'such as 1.4.0 or 2026-01-31, not "latest"'],
  [{ versioning: { default: 2 } }, 'option "versioning.default"', 'not 2'],
  [{ versioning: { require: 'yes' } }, 'option "versioning.require"', 'be true or false'],
  [
    { versioning: { require: true, default: '1' } },
    'option "versioning.require"',
    'it is true, but "versioning.default" is the version of requests without one',
    'Remove one of them',
  ],
  [{ versioning: { description: 1 } }, 'option "versioning.description"', 'be a string'],
  [{ redact: ['password'] }, 'option "redact"', 'be an object'],
  [{ redact: { key: ['birthday'] } }, 'option "redact.key"', 'Did you mean "keys"?'],
  [{ redact: { headers: 'x-session' } }, 'option "redact.headers"', "['x-session']"],
  [{ redact: { keys: [/pin/] } }, 'option "redact.keys"', 'an array of names'],
  [{ redact: { values: ['pin'] } }, 'option "redact.values"', 'regular expressions'],
  [{ redact: { values: /pin/ } }, 'option "redact.values"'],
  [{ redact: { replaceDefaults: 'all', keys: [] } }, 'option "redact.replaceDefaults"', 'be true or false'],
  [
    { redact: { replaceDefaults: true } },
    'option "redact.replaceDefaults"',
    'the lists that replace the defaults are missing',
    'headers, keys or values',
  ],
  [{ metrics: true }, 'option "metrics"', "'/metrics'"],
  [{ metrics: 'metrics' }, 'option "metrics"', 'a path'],
  [{ metrics: '/metrics/{of}' }, 'option "metrics"', 'without parameters'],
  [{ devConsole: 'on' }, 'option "devConsole"', "be 'auto', true, false or an object"],
  [{ devConsole: null }, 'option "devConsole"', 'not null'],
  [{ devConsole: { alow: [] } }, 'option "devConsole.alow"', 'Did you mean "allow"?'],
  [{ devConsole: { allow: '10.0.0.1' } }, 'option "devConsole.allow"', "['172.17.0.1']"],
  [{ devConsole: { allow: ['docker'] } }, 'option "devConsole.allow"', 'addresses and networks'],
  [{ devConsole: { allow: [1] } }, 'option "devConsole.allow"'],
  [{ devConsole: { token: 'short' } }, 'option "devConsole.token"', 'at least 16 characters, not a string of length 5'],
  [{ devConsole: { token: 1_234_567_890_123_456 } }, 'option "devConsole.token"'],
  [{ devConsole: { captureBodies: true } }, 'option "devConsole.captureBodies"', "be 'text', 'off' or 'raw'"],
  [{ devConsole: { ignore: '/health' } }, 'option "devConsole.ignore"', 'an array of strings'],
  ...['', 'a\0b', 7, true, null].map(
    (keep) => [{ devConsole: { keep } }, 'option "devConsole.keep"', 'be the path of a file'] as const,
  ),
  [{ devConsole: { slow: '1s' } }, 'option "devConsole.slow"', 'non-negative integer'],
  // oxlint-disable-next-line no-script-url -- what must not become a link
  ...['javascript:alert({line})', 'DATA:text/html,{file}', 'https://x/{file}', '{file}', '://', 'a b://x', '', 7].map(
    (editor) => [{ devConsole: { editor } }, 'option "devConsole.editor"', 'a link of your editor'] as const,
  ),
]

describe('checkAppOptions()', () => {
  for (const [options, ...says] of REFUSED) {
    const [name = '', value] = Object.entries(options)[0] ?? []
    it(`rejects ${name}: ${JSON.stringify(value) ?? String(value)}`, () => {
      assertSetupError(() => checkAppOptions({ ...options, routes: {} }), 'OPTION_INVALID', ...says)
    })
  }

  for (const value of [undefined, null, 'routes', [], 7]) {
    it(`rejects ${JSON.stringify(value) ?? 'undefined'} instead of an options object`, () => {
      const check: unknown = checkAppOptions
      // Proof: plain JavaScript can pass any value.
      assertSetupError(() => (check as (options: unknown) => void)(value), 'OPTION_INVALID', '{ routes: { Users } }')
    })
  }

  const ACCEPTED: readonly object[] = [
    {},
    { ...DEFAULTS },
    { logger: false },
    { logger: log },
    { logger: { ...log, level: 'silent' } },
    { logger: { level: 'warn' } },
    { logger: { level: undefined } },
    { mapError: [] },
    { mapError: () => undefined },
    { limits: {}, timeouts: {} },
    { redact: { headers: ['a'], keys: ['b'], values: [/c/] } },
    { redact: { headers: [], replaceDefaults: true } },
    { redact: { keys: [], replaceDefaults: true } },
    { redact: { values: [], replaceDefaults: true } },
    { redact: { replaceDefaults: false } },
    { devConsole: { captureConsole: true } },
    { limits: { body: 0, depth: undefined } },
    { timeouts: { close: 0 } },
    { timeouts: { close: 2 ** 31 - 1 } },
    { jsonSchema: { valibot: () => ({}) } },
    { metrics: '/metrics' },
    { devConsole: true },
    { devConsole: { keep: '.dev/console.json' } },
    { devConsole: { editor: 'vscode://file/{file}:{line}:{column}' } },
    { devConsole: { editor: 'x-my.Editor+1:{file}' } },
    { devConsole: { allow: ['172.17.0.1', 'fd00::/8'], token: 'x'.repeat(16), captureBodies: 'raw', ignore: ['/a*'] } },
    { versioning: {} },
    { versioning: { from: 'X-Version', default: '1' } },
    { versioning: { from: { mediaType: 'v' }, default: '2026-01-31' } },
    { versioning: { from: () => undefined, description: 'The first segment.' } },
    { versioning: { require: true } },
    { versioning: { require: false, default: '1' } },
    { trustProxy: ['10.0.0.0/8'] },
    Object.fromEntries(OPTION_NAMES.map((name) => [name, undefined])),
  ]
  for (const options of ACCEPTED) {
    it(`accepts ${JSON.stringify(options)}`, () => checkAppOptions({ ...options, routes: {} }))
  }
})

describe('checkAttachOptions()', () => {
  it('rejects unknown options and values that are not booleans', () => {
    const reject = (options: object, ...says: string[]): void =>
      void assertSetupError(() => checkAttachOptions(options), 'OPTION_INVALID', ...says)
    reject({ beside: true }, 'option "beside"', 'Did you mean "besides"?')
    reject({ besides: 'yes' }, 'option "besides"', 'be true or false')
    reject([], 'Write "{ besides: true }"')
    checkAttachOptions({ besides: true })
  })
})

describe('checkListenOptions()', () => {
  for (const [options, ...says] of [
    [{ prot: 3000 }, 'option "prot"', 'Did you mean "port"?'],
    [{ port: '3000' }, 'option "port"', 'not a string', 'from 0 to 65535'],
    [{ port: 65_536 }, 'option "port"', 'to 65535'],
    [{ port: -1 }, 'option "port"'],
    [{ host: 7 }, 'option "host"', 'be a string'],
    [{ path: {} }, 'option "path"'],
    [{ tls: true }, 'option "tls"', 'have "key" and "cert"'],
    [{ tls: {} }, 'option "tls"', 'have "key" and "cert"'],
  ] as const) {
    it(`rejects ${JSON.stringify(options)}`, () => {
      assertSetupError(() => checkListenOptions(options), 'OPTION_INVALID', ...says)
    })
  }

  it('accepts ports, hosts, sockets and TLS certificates', () => {
    for (const options of [
      {},
      { port: 0 },
      { port: 65_535, host: '::1' },
      { path: '/tmp/a.sock' },
      { tls: { cert: '' } },
    ]) {
      checkListenOptions(options)
    }
  })
})
