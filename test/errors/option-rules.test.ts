import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { functionRule, integerRule, stringListRule, stringRule, switchRule } from '#src/errors/option-rules.js'

const ROWS = [
  [switchRule('a'), [true, false], ['true', 1, null], '"a" must be true or false. Write "a: true"'],
  [stringRule('a'), ['', 'x'], [1, null], `"a" must be a string. Write "a: '…'"`],
  [stringRule('a', 'x:'), ['x'], [{}], `"a" must be a string. Write "a: 'x:'"`],
  [stringListRule('a', 'x'), [[], ['x']], ['x', [1]], `"a" must be an array of strings. Write "a: ['x']"`],
  [functionRule('a', '() => 1'), [() => 1], ['x', {}], '"a" must be a function. Write "a: () => 1"'],
  [integerRule('a', 0, '1'), [0, 1], [-1, 0.5, '1'], '"a" must be a non-negative integer. Write "a: 1"'],
  [integerRule('a', 1, '1', ' of ms'), [1], [0, NaN], '"a" must be a positive integer of ms. Write "a: 1"'],
] as const

describe('option rules', () => {
  for (const [rule, valid, invalid, message] of ROWS) {
    it(`accept only valid values, and report others as ${message}`, () => {
      for (const value of valid) assert.equal(rule(value), null)
      for (const value of invalid) assert.equal(rule(value), message)
    })
  }
})
