import { describe, it } from 'node:test'
import { checkAttachOptions, checkListenOptions, checkOptions, OPTION_NAMES } from '#src/setup/check-options.js'
import { DEFAULTS } from '#src/setup/options.js'
import { assertSetupError } from '#test/apps.js'

const log = { debug() {}, info() {}, warn() {}, error() {} }

const REFUSED: readonly (readonly [options: object, ...says: string[]])[] = [
  [{ route: {} }, 'option "route"', 'Did you mean "routes"?', 'Valid options are routes, name'],
  [{ servics: {} }, 'option "servics"', 'Did you mean "services"?'],
  [{ colour: 1 }, 'option "colour"', 'it is unknown. Valid options are'],
  [{ name: 7 }, 'option "name"', 'it is 7', 'Use a string'],
  [{ version: ['1'] }, 'option "version"', 'it is an array'],
  [{ services: 'db' }, 'option "services"', 'Use an object'],
  [{ limits: { bodyy: 1 } }, 'option "limits.bodyy"', 'Did you mean "body"?', 'Valid options are body, depth, keys'],
  [{ limits: { body: -1 } }, 'option "limits.body"', 'it is -1', 'non-negative integer'],
  [{ limits: { body: 1.5 } }, 'option "limits.body"', 'it is 1.5'],
  [{ limits: { body: '1mb' } }, 'option "limits.body"', 'it is a string'],
  [{ limits: { keys: Number.POSITIVE_INFINITY } }, 'option "limits.keys"', 'it is Infinity'],
  [{ limits: { depth: Number.NaN } }, 'option "limits.depth"', 'it is NaN'],
  [{ limits: null }, 'option "limits"', 'it is null'],
  [{ limits: 1000 }, 'option "limits"', 'Use an object'],
  [{ timeouts: { close: null } }, 'option "timeouts.close"', 'it is null'],
  [{ timeouts: { closed: 1 } }, 'option "timeouts.closed"', 'Did you mean "close"?'],
  [{ timeouts: { close: 2 ** 31 } }, 'option "timeouts.close"', 'to 2147483647'],
  [{ timeouts: [] }, 'option "timeouts"', 'it is an array'],
  [{ mapError: 'no' }, 'option "mapError"', '(error) => HttpError | undefined'],
  [{ mapError: [() => undefined, {}] }, 'option "mapError"'],
  [{ mapError: null }, 'option "mapError"', 'it is null'],
  [{ logger: {} }, 'option "logger"', 'debug, info, warn, error, or false'],
  [{ logger: { ...log, warn: 'warn' } }, 'option "logger"'],
  [{ logger: true }, 'option "logger"', 'it is a boolean'],
  [{ logger: { level: 'info', debug() {} } }, 'option "logger"', 'debug, info, warn, error, or false'],
  [{ logger: { level: 'trace' } }, 'option "logger.level"', 'Use debug, info, warn, error'],
  [{ logger: { level: 20 } }, 'option "logger.level"', 'it is 20'],
  [{ logger: { level: 'info', levels: 1 } }, 'option "logger.levels"', 'Did you mean "level"?'],
  [{ logger: null }, 'option "logger"', 'it is null'],
  [{ trailingSlash: 'keep' }, 'option "trailingSlash"', "Use 'strict', 'ignore' or 'redirect'"],
  [{ trailingSlash: true }, 'option "trailingSlash"'],
  [{ trustProxy: '10.0.0.1' }, 'option "trustProxy"', '["10.0.0.0/8"]'],
  [{ trustProxy: [10] }, 'option "trustProxy"'],
  [{ validateResponses: 'no' }, 'option "validateResponses"', 'Use true or false'],
  [{ signals: 1 }, 'option "signals"', 'Use true or false'],
  [{ fastPath: 'yes' }, 'option "fastPath"', 'Use true or false'],
  [{ jsonSchema: { zod: {} } }, 'option "jsonSchema"', 'converters by vendor'],
  [{ jsonSchema: () => ({}) }, 'option "jsonSchema"'],
  [{ requestId: true }, 'option "requestId"', 'Use an object'],
  [{ requestId: { header: 'x-id' } }, 'option "requestId.header"', 'Use true or false'],
  [{ requestId: { headers: true } }, 'option "requestId.headers"', 'Did you mean "header"?'],
  [{ versioning: 'x-version' }, 'option "versioning"', 'it is a string', 'Use an object'],
  [
    { versioning: { form: 'x' } },
    'option "versioning.form"',
    'Did you mean "from"?',
    'Valid options are from, default',
  ],
  [{ versioning: { from: '' } }, 'option "versioning.from"', 'Use a header name'],
  [{ versioning: { from: 'x version' } }, 'option "versioning.from"'],
  [{ versioning: { from: null } }, 'option "versioning.from"', 'it is null'],
  [{ versioning: { from: {} } }, 'option "versioning.from"', "{ mediaType: 'version' }"],
  [{ versioning: { from: { mediaType: 'a b' } } }, 'option "versioning.from"'],
  [{ versioning: { from: { mediaType: 1 } } }, 'option "versioning.from"'],
  [{ versioning: { from: { mediaType: 'v', header: 'v' } } }, 'option "versioning.from"'],
  [{ versioning: { default: 'latest' } }, 'option "versioning.default"', 'such as "1.4.0" or "2026-01-31"'],
  [{ versioning: { default: 2 } }, 'option "versioning.default"', 'it is 2'],
  [{ redact: ['password'] }, 'option "redact"', 'Use an object'],
  [{ redact: { key: ['birthday'] } }, 'option "redact.key"', 'Did you mean "keys"?'],
  [{ redact: { headers: 'x-session' } }, 'option "redact.headers"', '["x-session"]'],
  [{ redact: { keys: [/pin/] } }, 'option "redact.keys"', 'an array of names'],
  [{ redact: { values: ['pin'] } }, 'option "redact.values"', 'regular expressions'],
  [{ redact: { values: /pin/ } }, 'option "redact.values"'],
  [{ redact: { replaceDefaults: 'all', keys: [] } }, 'option "redact.replaceDefaults"', 'Use true or false'],
  [
    { redact: { replaceDefaults: true } },
    'option "redact.replaceDefaults"',
    'the lists that replace the defaults are missing',
    'headers, keys or values',
  ],
  [{ metrics: true }, 'option "metrics"', "such as '/metrics'"],
  [{ metrics: 'metrics' }, 'option "metrics"', 'a path'],
  [{ metrics: '/metrics/{of}' }, 'option "metrics"', 'without parameters'],
  [{ devConsole: 'on' }, 'option "devConsole"', "Use 'auto', true, false or an object"],
  [{ devConsole: null }, 'option "devConsole"', 'it is null'],
  [{ devConsole: { alow: [] } }, 'option "devConsole.alow"', 'Did you mean "allow"?'],
  [{ devConsole: { allow: '10.0.0.1' } }, 'option "devConsole.allow"', '["172.17.0.1"]'],
  [{ devConsole: { allow: ['docker'] } }, 'option "devConsole.allow"', 'addresses and networks'],
  [{ devConsole: { allow: [1] } }, 'option "devConsole.allow"'],
  [{ devConsole: { token: 'short' } }, 'option "devConsole.token"', 'Use at least 16 characters'],
  [{ devConsole: { token: 1_234_567_890_123_456 } }, 'option "devConsole.token"'],
  [{ devConsole: { captureBodies: true } }, 'option "devConsole.captureBodies"', "Use 'text', 'off' or 'raw'"],
  [{ devConsole: { ignore: '/health' } }, 'option "devConsole.ignore"', 'an array of strings'],
  ...['', 'a\0b', 7, true, null].map(
    (keep) => [{ devConsole: { keep } }, 'option "devConsole.keep"', 'Use the path of a file'] as const,
  ),
  [{ devConsole: { slow: '1s' } }, 'option "devConsole.slow"', 'non-negative integer'],
  // oxlint-disable-next-line no-script-url -- what must not become a link
  ...['javascript:alert({line})', 'DATA:text/html,{file}', 'https://x/{file}', '{file}', '://', 'a b://x', '', 7].map(
    (editor) => [{ devConsole: { editor } }, 'option "devConsole.editor"', 'a link of your editor'] as const,
  ),
]

describe('checkOptions()', () => {
  for (const [options, ...says] of REFUSED) {
    const [name = '', value] = Object.entries(options)[0] ?? []
    it(`rejects ${name}: ${JSON.stringify(value) ?? String(value)}`, () => {
      assertSetupError(() => checkOptions(options), 'OPTION_INVALID', ...says)
    })
  }

  for (const value of [undefined, null, 'routes', [], 7]) {
    it(`rejects ${JSON.stringify(value) ?? 'undefined'} instead of an options object`, () => {
      const check: unknown = checkOptions
      // Proof: plain JavaScript can pass any value.
      assertSetupError(() => (check as (options: unknown) => void)(value), 'OPTION_INVALID', '{ routes }')
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
    { versioning: { from: () => undefined } },
    { trustProxy: ['10.0.0.0/8'] },
    Object.fromEntries(OPTION_NAMES.map((name) => [name, undefined])),
  ]
  for (const options of ACCEPTED) {
    it(`accepts ${JSON.stringify(options)}`, () => checkOptions(options))
  }
})

describe('checkAttachOptions()', () => {
  it('rejects unknown options and values that are not booleans', () => {
    const reject = (options: object, ...says: string[]): void =>
      void assertSetupError(() => checkAttachOptions(options), 'OPTION_INVALID', ...says)
    reject({ beside: true }, 'option "beside"', 'Did you mean "besides"?')
    reject({ besides: 'yes' }, 'option "besides"', 'Use true or false')
    reject([], 'Write "attach(server, { besides: true })"')
    checkAttachOptions({ besides: true })
  })
})

describe('checkListenOptions()', () => {
  for (const [options, ...says] of [
    [{ prot: 3000 }, 'option "prot"', 'Did you mean "port"?'],
    [{ port: '3000' }, 'option "port"', 'it is a string', '0 picks a free port'],
    [{ port: 65_536 }, 'option "port"', 'to 65535'],
    [{ port: -1 }, 'option "port"'],
    [{ host: 7 }, 'option "host"', 'Use a string'],
    [{ path: {} }, 'option "path"'],
    [{ tls: true }, 'option "tls"', 'Set "key" and "cert"'],
    [{ tls: {} }, 'option "tls"', 'Set "key" and "cert"'],
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
