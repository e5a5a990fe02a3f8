import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleState, type ConsoleOption, type ConsoleState } from '#src/app/console-state.js'
import { readMode, type Mode } from '#src/app/environment.js'
import { SetupError } from '#src/errors/setup-error.js'

const TOKEN = 'a-token-of-sixteen'

type Row = readonly [option: ConsoleOption, mode: Mode, isTerminal: boolean, state: ConsoleState]
const STATES: readonly Row[] = [
  ['auto', 'production', true, 'off'],
  ['auto', 'development', false, 'open'],
  ['auto', 'unset', true, 'open'],
  ['auto', 'unset', false, 'guarded'],
  ['auto', 'other', true, 'guarded'],
  ['auto', 'other', false, 'guarded'],
  [false, 'development', true, 'off'],
  [true, 'unset', false, 'open'],
  [true, 'other', false, 'open'],
  [{}, 'other', false, 'open'],
  [{ token: TOKEN }, 'development', true, 'guarded'],
  [{ allow: [] }, 'development', true, 'open'],
  [{ allow: ['10.0.0.1'], token: TOKEN }, 'development', true, 'guarded'],
  [{ allowInProduction: true, token: TOKEN }, 'production', true, 'guarded'],
]
const REFUSED: readonly (readonly [ConsoleOption, Mode, RegExp])[] = [
  [true, 'production', /"devConsole": NODE_ENV is "production"/],
  [{}, 'production', /NODE_ENV is "production"/],
  [{ token: TOKEN }, 'production', /allowInProduction: true/],
  [{ allowInProduction: true }, 'production', /and a "token"/],
  [{ allow: ['10.0.0.1'] }, 'development', /"allow" opens it to other machines, and it has no token/],
]

describe('consoleState()', () => {
  for (const [option, mode, isTerminal, state] of STATES) {
    it(`is ${state} for ${JSON.stringify(option)} where NODE_ENV is ${mode}, ${isTerminal ? 'at' : 'without'} a terminal`, () => {
      assert.equal(consoleState(option, { mode, isTerminal }), state)
    })
  }

  for (const [option, mode, message] of REFUSED) {
    it(`refuses ${JSON.stringify(option)} where NODE_ENV is ${mode}`, () => {
      assert.throws(
        () => consoleState(option, { mode, isTerminal: true }),
        (error) => error instanceof SetupError && error.code === 'OPTION_INVALID' && message.test(error.message),
      )
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
