import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  anyRule,
  checkArgument,
  checkOption,
  checkOptions,
  choiceRule,
  functionError,
  functionRule,
  integerRule,
  objectRule,
  ONLY_TRUE,
  orFalse,
  rangeRule,
  mandatory,
  rule,
  stringListRule,
  stringRule,
  SWITCH,
  textRule,
  type Rule,
} from '#src/errors/options.js'
import { SetupError } from '#src/errors/setup-error.js'
import { assertSetupError } from '#test/apps.js'

const ROWS: readonly (readonly [rule: Rule, valid: unknown[], invalid: unknown[], text: string])[] = [
  [SWITCH, [true, false], ['true', 1, null], 'be true or false'],
  [ONLY_TRUE, [true], [false, 1], 'be true'],
  [stringRule("'x'"), ['', 'x'], [1, null], 'be a string'],
  [textRule((text) => text !== '', 'be a non-empty string', "'x'"), ['x'], ['', 1], 'be a non-empty string'],
  [choiceRule(['a', 'b', 'c']), ['a', 'c'], ['d', 1], "be 'a', 'b' or 'c'"],
  [stringListRule("['x']"), [[], ['x']], ['x', [1]], 'be an array of strings'],
  [functionRule('() => 1'), [() => 1], ['x', {}], 'be a function'],
  [integerRule(0, '1'), [0, 1], [-1, 0.5, '1'], 'be a non-negative integer'],
  [integerRule(1, '1', ' of ms'), [1], [0, NaN], 'be a positive integer of ms'],
  [rangeRule([2, 4], '3', ' of ms'), [2, 4], [1, 5, 2.5], 'be an integer of ms from 2 to 4'],
  [objectRule('{ a }'), [{}], [[], null], 'be an object'],
  [orFalse(objectRule('{ a }')), [{}, false], [true], 'be an object, or false'],
  [anyRule('1'), [1, null], [], 'be set'],
]

describe('option rules', () => {
  for (const [ofValue, valid, invalid, text] of ROWS) {
    it(`accept only valid values: ${text}`, () => {
      assert.equal(ofValue.must, text)
      for (const value of valid) assert.equal(ofValue.isValid(value), true)
      for (const value of invalid) assert.equal(ofValue.isValid(value), false)
    })
  }
})

describe('checkOptions()', () => {
  const inner = { size: integerRule(1, '5', ' of bytes') }
  const RULES = { kind: choiceRule(['a', 'b']), key: stringRule("'k'"), limits: objectRule('{ size: 5 }', inner) }

  it('ignores options that are undefined', () => {
    checkOptions({ kind: undefined, limits: { size: undefined } }, RULES, 'make()')
  })

  it('names nested options by their path', () => {
    const start = 'Cannot use the option "limits.size" of make(): it'
    const wrong = `${start} must be a positive integer of bytes, not 0. Write "size: 5"`
    assertSetupError(() => checkOptions({ limits: { size: 0 } }, RULES, 'make()'), 'OPTION_INVALID', wrong)
    const unknown = 'Cannot use the option "limits.sise" of make(): it is unknown. Did you mean "size"?'
    assertSetupError(() => checkOptions({ limits: { sise: 1 } }, RULES, 'make()'), 'OPTION_INVALID', unknown)
  })

  it('shows only strings that cannot be secrets', () => {
    assertSetupError(() => checkOptions({ kind: 'c' }, RULES, 'make()'), 'OPTION_INVALID', 'not "c"')
    for (const [value, shown] of [
      ['secret', 'a string of length 6'],
      [7n, '7'],
      [undefined, 'undefined'],
      [[], 'an empty array'],
      [['secret'], 'an array of strings'],
      [[{}, {}], 'an array of objects'],
      [['secret', 1], 'an array of mixed types'],
      [() => 1, 'a function'],
    ] as const) {
      assertSetupError(() => checkOption(value, SWITCH, 'key', 'make()'), 'OPTION_INVALID', `or false, not ${shown}. `)
    }
  })

  it('shows the required options instead of options that are not an object', () => {
    const needed = { ...RULES, by: mandatory(functionRule('() => 1')), ttl: mandatory(integerRule(1, '1_000')) }
    const fix = 'Write "{ by: () => 1, ttl: 1_000 }"'
    assertSetupError(() => checkOptions(null, needed, 'make()'), 'OPTION_INVALID', `an object, not null. ${fix}`)
    assertSetupError(() => checkOptions([], RULES, 'make()'), 'OPTION_INVALID', `Write "{ kind: 'a' }"`)
  })
})

describe('checkOption() and checkArgument()', () => {
  it('accept valid values', () => {
    checkOption(true, SWITCH, 'on', 'make()')
    checkArgument(true, SWITCH, 'on', 'make()')
  })

  it('report undefined as a wrong value', () => {
    const isOne = rule((value) => value === 1, 'be 1', 'make(1)')
    const why = 'Cannot use the argument "first" of make(): it must be 1, not undefined. Write "make(1)"'
    assertSetupError(() => checkArgument(undefined, isOne, 'first', 'make()'), 'OPTION_INVALID', why)
  })
})

describe('functionError()', () => {
  it('has the thrown error as its cause, and returns setup errors unchanged', () => {
    const own = new SetupError('OPTION_INVALID', 'Cannot store')
    assert.equal(functionError('make()', 'store', own), own)
    for (const [thrown, state] of [
      [new Error('no vault'), 'failed with "no vault"'],
      [new AggregateError([]), 'failed with "AggregateError"'],
      ['text', 'threw a value that is not an Error'],
    ] as const) {
      const { message, cause } = functionError('make()', 'store', thrown)
      assert.equal(
        message,
        `Cannot use the option "store" of make(): the function ${state}. See its "cause" for details`,
      )
      assert.equal(cause, thrown)
    }
  })
})
