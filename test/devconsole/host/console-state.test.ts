import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleState, offReason, type ConsoleOption, type ConsoleState } from '#src/devconsole/host/console-state.js'
import { readMode, type Mode } from '#src/values/mode.js'
import { SetupError } from '#src/errors/setup-error.js'

const TOKEN = 'a-token-of-sixteen'

type Row = readonly [option: ConsoleOption, mode: Mode, state: ConsoleState]
const STATES: readonly Row[] = [
  ['auto', 'production', 'off'],
  ['auto', 'development', 'open'],
  ['auto', 'unset', 'guarded'],
  ['auto', 'other', 'guarded'],
  [false, 'development', 'off'],
  [true, 'development', 'open'],
  [true, 'unset', 'guarded'],
  [true, 'other', 'guarded'],
  [{}, 'development', 'open'],
  [{}, 'unset', 'guarded'],
  [{ token: TOKEN }, 'development', 'guarded'],
  [{ keep: 'x.json' }, 'development', 'open'],
  [{ allow: [] }, 'development', 'open'],
  [{ allow: ['10.0.0.1'], token: TOKEN }, 'development', 'guarded'],
  [{ allowInProduction: true, token: TOKEN }, 'production', 'guarded'],
]
const REASONS: readonly (readonly [option: ConsoleOption, mode: Mode, reason: string])[] = [
  ['auto', 'unset', 'NODE_ENV is not set'],
  [true, 'unset', 'NODE_ENV is not set'],
  ['auto', 'other', 'NODE_ENV is not "development"'],
  [{}, 'development', 'NODE_ENV is "development"'],
  [{ token: TOKEN }, 'unset', 'devConsole.token is set'],
  [{ token: TOKEN }, 'development', 'devConsole.token is set'],
]
const REFUSED: readonly (readonly [ConsoleOption, Mode, RegExp])[] = [
  [true, 'production', /"devConsole" of createApp\(\): NODE_ENV is "production"/],
  [{}, 'production', /NODE_ENV is "production"/],
  [{ token: TOKEN }, 'production', /allowInProduction: true/],
  [{ allowInProduction: true }, 'production', /and a "token"/],
  [
    { allowInProduction: true, token: TOKEN, keep: 'x.json' },
    'production',
    /"keep" writes requests to a file.*Remove "keep"/,
  ],
  [{ allow: ['10.0.0.1'] }, 'development', /"allow" opens the console to other machines, which requires a token/],
]

describe('consoleState()', () => {
  for (const [option, mode, state] of STATES) {
    it(`is ${state} for ${JSON.stringify(option)} if NODE_ENV is ${mode}`, () => {
      assert.equal(consoleState(option, mode), state)
    })
  }

  for (const [option, mode, message] of REFUSED) {
    it(`rejects ${JSON.stringify(option)} if NODE_ENV is ${mode}`, () => {
      assert.throws(
        () => consoleState(option, mode),
        (error) => error instanceof SetupError && error.code === 'OPTION_INVALID' && message.test(error.message),
      )
    })
  }
})

describe('offReason()', () => {
  for (const [option, mode, reason] of REASONS) {
    it(`returns for ${JSON.stringify(option)} if NODE_ENV is ${mode}: ${reason}`, () => {
      assert.equal(offReason(option, mode), reason)
    })
  }
})

describe('readMode()', () => {
  it('reads NODE_ENV', () => {
    const before = process.env['NODE_ENV']
    const modes = [undefined, '', 'production', 'development', 'test'].map((value) => {
      if (value === undefined) delete process.env['NODE_ENV']
      else process.env['NODE_ENV'] = value
      return readMode()
    })
    if (before !== undefined) process.env['NODE_ENV'] = before
    assert.deepEqual(modes, ['unset', 'unset', 'production', 'development', 'other'])
  })
})
