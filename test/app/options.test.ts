import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkOptions, DEFAULTS, OPTION_NAMES } from '#src/app/options.js'
import { assertRefused } from '#test/apps.js'

const log = { debug() {}, info() {}, warn() {}, error() {} }

const REFUSED: readonly (readonly [options: object, ...says: string[]])[] = [
  [{ route: {} }, 'option "route"', 'Did you mean "routes"?', 'Known are routes, name'],
  [{ servics: {} }, 'option "servics"', 'Did you mean "services"?'],
  [{ colour: 1 }, 'option "colour"', 'it is unknown. Known are'],
  [{ limits: { bodyy: 1 } }, '"limits" "bodyy"', 'Did you mean "body"?', 'Known are body, depth, keys'],
  [{ limits: { body: -1 } }, '"limits.body"', '-1 is not a whole number', 'from 0 up'],
  [{ limits: { body: 1.5 } }, '"limits.body"', '1.5 is not'],
  [{ limits: { body: '1mb' } }, '"limits.body"', '1mb is not'],
  [{ limits: { keys: Number.POSITIVE_INFINITY } }, '"limits.keys"', 'Infinity is not'],
  [{ limits: { depth: Number.NaN } }, '"limits.depth"', 'NaN is not'],
  [{ limits: null }, '"limits"', 'null', '{'],
  [{ limits: 1000 }, '"limits"', '{'],
  [{ timeouts: { close: null } }, '"timeouts.close"', 'null is not'],
  [{ timeouts: { closed: 1 } }, '"timeouts" "closed"', 'Did you mean "close"?'],
  [{ timeouts: { close: 2 ** 31 } }, '"timeouts.close"', '2147483647'],
  [{ timeouts: 'none' }, '"timeouts"', '{'],
  [{ mapError: 'no' }, 'option "mapError"', '(error) => HttpError | undefined'],
  [{ mapError: [() => undefined, {}] }, 'option "mapError"'],
  [{ mapError: null }, 'option "mapError"'],
  [{ logger: {} }, 'option "logger"', 'no method "debug"', 'or false'],
  [{ logger: { ...log, warn: 'warn' } }, 'option "logger"', 'no method "warn"'],
  [{ logger: true }, 'option "logger"', 'no method "debug"'],
  [{ logger: null }, 'option "logger"', 'no method "debug"'],
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
    { logger: false },
    { logger: undefined },
    { logger: log },
    { mapError: [] },
    { mapError: () => undefined },
    { limits: {}, timeouts: {} },
    { limits: { body: 0, depth: undefined } },
    { timeouts: { close: 0 } },
    { timeouts: { close: 2 ** 31 - 1 } },
    Object.fromEntries(OPTION_NAMES.map((name) => [name, undefined])),
  ]
  for (const options of ACCEPTED) {
    it(`accepts ${JSON.stringify(options)}`, () => checkOptions(options))
  }
})

describe('DEFAULTS', () => {
  it('are sound options themselves', () => checkOptions({ ...DEFAULTS }))
})
