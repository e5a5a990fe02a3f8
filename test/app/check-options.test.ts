import { describe, it } from 'node:test'
import { checkListenOptions, checkOptions, OPTION_NAMES } from '#src/app/check-options.js'
import { DEFAULTS } from '#src/app/options.js'
import { assertRefused } from '#test/apps.js'

const log = { debug() {}, info() {}, warn() {}, error() {} }

const REFUSED: readonly (readonly [options: object, ...says: string[]])[] = [
  [{ route: {} }, 'option "route"', 'Did you mean "routes"?', 'Known are routes, name'],
  [{ servics: {} }, 'option "servics"', 'Did you mean "services"?'],
  [{ colour: 1 }, 'option "colour"', 'it is unknown. Known are'],
  [{ name: 7 }, 'option "name"', 'it is 7', 'Give a text'],
  [{ version: ['1'] }, 'option "version"', 'it is an array'],
  [{ services: 'db' }, 'option "services"', 'Give a record'],
  [{ limits: { bodyy: 1 } }, 'option "limits.bodyy"', 'Did you mean "body"?', 'Known are body, depth, keys'],
  [{ limits: { body: -1 } }, 'option "limits.body"', 'it is -1', 'from 0 up'],
  [{ limits: { body: 1.5 } }, 'option "limits.body"', 'it is 1.5'],
  [{ limits: { body: '1mb' } }, 'option "limits.body"', 'it is a string'],
  [{ limits: { keys: Number.POSITIVE_INFINITY } }, 'option "limits.keys"', 'it is Infinity'],
  [{ limits: { depth: Number.NaN } }, 'option "limits.depth"', 'it is NaN'],
  [{ limits: null }, 'option "limits"', 'it is null'],
  [{ limits: 1000 }, 'option "limits"', 'Give a record'],
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
  [{ logger: null }, 'option "logger"', 'it is null'],
  [{ trustProxy: '10.0.0.1' }, 'option "trustProxy"', '["10.0.0.0/8"]'],
  [{ trustProxy: [10] }, 'option "trustProxy"'],
  [{ validateResponses: 'no' }, 'option "validateResponses"', 'Give true or false'],
  [{ signals: 1 }, 'option "signals"', 'Give true or false'],
  [{ jsonSchema: { zod: {} } }, 'option "jsonSchema"', 'converters by vendor'],
  [{ jsonSchema: () => ({}) }, 'option "jsonSchema"'],
]

describe('checkOptions()', () => {
  for (const [options, ...says] of REFUSED) {
    const [name = '', value] = Object.entries(options)[0] ?? []
    it(`refuses ${name}: ${JSON.stringify(value) ?? String(value)}`, () => {
      assertRefused(() => checkOptions(options), 'OPTION_INVALID', ...says)
    })
  }

  for (const value of [undefined, null, 'routes', [], 7]) {
    it(`refuses ${JSON.stringify(value) ?? 'nothing'} in place of options`, () => {
      const check: unknown = checkOptions
      // Proof: a project without types may give anything.
      assertRefused(() => (check as (options: unknown) => void)(value), 'OPTION_INVALID', '{ routes }')
    })
  }

  const ACCEPTED: readonly object[] = [
    {},
    { ...DEFAULTS },
    { logger: false },
    { logger: log },
    { mapError: [] },
    { mapError: () => undefined },
    { limits: {}, timeouts: {} },
    { limits: { body: 0, depth: undefined } },
    { timeouts: { close: 0 } },
    { timeouts: { close: 2 ** 31 - 1 } },
    { jsonSchema: { valibot: () => ({}) } },
    { trustProxy: ['10.0.0.0/8'] },
    Object.fromEntries(OPTION_NAMES.map((name) => [name, undefined])),
  ]
  for (const options of ACCEPTED) {
    it(`accepts ${JSON.stringify(options)}`, () => checkOptions(options))
  }
})

describe('checkListenOptions()', () => {
  for (const [options, ...says] of [
    [{ prot: 3000 }, 'option "prot"', 'Did you mean "port"?'],
    [{ port: '3000' }, 'option "port"', 'it is a string', '0 picks a free port'],
    [{ port: 65_536 }, 'option "port"', 'to 65535'],
    [{ port: -1 }, 'option "port"'],
    [{ host: 7 }, 'option "host"', 'Give a text'],
    [{ path: {} }, 'option "path"'],
    [{ tls: true }, 'option "tls"', 'Give "key" and "cert"'],
    [{ tls: {} }, 'option "tls"', 'Give "key" and "cert"'],
  ] as const) {
    it(`refuses ${JSON.stringify(options)}`, () => {
      assertRefused(() => checkListenOptions(options), 'OPTION_INVALID', ...says)
    })
  }

  it('accepts what a server can do', () => {
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
