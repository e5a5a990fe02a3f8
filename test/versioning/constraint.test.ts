import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SetupError } from '#src/errors/setup-error.js'
import { parseConstraint, satisfies } from '#src/versioning/constraint.js'
import { printInterval } from '#src/versioning/interval.js'
import { parseVersion } from '#src/versioning/version.js'

function meant(text: string): string {
  return parseConstraint(text).intervals.map(printInterval).join(' || ')
}

/** Constraints with equivalent intervals. */
const MEANINGS: readonly (readonly [constraint: string, meaning: string])[] = [
  ['>=1.2.0', '>=1.2.0'],
  ['>= 1.2.0', '>=1.2.0'],
  ['  >=1.2.0\t<2 ', '>=1.2.0 <2.0.0'],
  ['>1.2.3', '>=1.2.4'],
  ['>1.2', '>=1.3.0'],
  ['>1', '>=2.0.0'],
  ['<1.2', '<1.2.0'],
  ['<=1.2.3', '<1.2.4'],
  ['<=1.2', '<1.3.0'],
  ['=1.2.3', '1.2.3'],
  ['=1.2', '>=1.2.0 <1.3.0'],
  ['1.2', '>=1.2.0 <1.3.0'],
  ['1', '>=1.0.0 <2.0.0'],
  ['1.x', '>=1.0.0 <2.0.0'],
  ['1.X.x', '>=1.0.0 <2.0.0'],
  ['1.2.*', '>=1.2.0 <1.3.0'],
  ['*', '*'],
  ['x', '*'],
  ['>=*', '*'],
  ['<=x', '*'],
  ['^*', '*'],
  ['~x.x', '*'],
  ['^1.2.3', '>=1.2.3 <2.0.0'],
  ['^0.2.3', '>=0.2.3 <0.3.0'],
  ['^0.0.3', '0.0.3'],
  ['^0.0.0', '0.0.0'],
  ['^0.0', '<0.1.0'],
  ['^0', '<1.0.0'],
  ['^0.x', '<1.0.0'],
  ['^1.2', '>=1.2.0 <2.0.0'],
  ['~1.2.3', '>=1.2.3 <1.3.0'],
  ['~1.2', '>=1.2.0 <1.3.0'],
  ['~1', '>=1.0.0 <2.0.0'],
  ['1.2.3 - 2.3.4', '>=1.2.3 <2.3.5'],
  ['1.2 - 2.3', '>=1.2.0 <2.4.0'],
  ['1  -  2', '>=1.0.0 <3.0.0'],
  ['* - 2', '<3.0.0'],
  ['1.x||3.x', '>=1.0.0 <2.0.0 || >=3.0.0 <4.0.0'],
  ['1.x || 2.x || 5.1.2', '>=1.0.0 <3.0.0 || 5.1.2'],
  ['<1 || >2 <1 || 3', '<1.0.0 || >=3.0.0 <4.0.0'],
  ['>=2026-01-01', '>=2026-01-01'],
  ['>2026-01-31', '>=2026-02-01'],
  ['<=2026-12-31', '<2027-01-01'],
  ['2026-01-31', '2026-01-31'],
  ['2026-01-01 - 2026-06-30', '>=2026-01-01 <2026-07-01'],
  ['<2025-01-01 || =2026-01-01', '<2025-01-01 || 2026-01-01'],
]

/** Invalid constraints with a part of the error message. */
const FLAWS: readonly (readonly [constraint: string, text: string])[] = [
  ['', 'it is empty. Write "*" for all versions'],
  ['  ', 'it is empty'],
  ['1 ||', 'one side of "||" is empty'],
  ['|| 1', 'one side of "||" is empty'],
  ['1 || || 2', 'one side of "||" is empty'],
  ['v1.2', '"v1.2" must not start with a letter. Write "1.2"'],
  ['>=1.2, <2', 'only a space means "and"'],
  ['>=1.2 && <2', 'only a space means "and"'],
  ['1.2.3-beta.1', 'is a prerelease or has build metadata, which clients cannot request. Write "1.2.3"'],
  ['>=1.2.3+7', 'Write "1.2.3"'],
  ['1.x.3', '"1.x.3" has a number after the wildcard. Write "1.x"'],
  ['x.1', 'Write "x"'],
  ['2026-01', '"2026-01" is not a calendar date. Write a date such as "2026-01-31"'],
  ['>=2026-02-30', '"2026-02-30" is not a calendar date'],
  ['^2026-01-01', '"^" does not support dates. Write ">=2026-01-01" or "<2026-01-01"'],
  ['~ 2026-01-01', '"~" does not support dates'],
  ['1 || 2026-01-01', 'it mixes numbers and dates'],
  ['>=1 <2026-01-01', 'it mixes numbers and dates'],
  ['1 - 2026-01-01', 'it mixes numbers and dates'],
  ['>1 <2', 'no version satisfies it. Widen it; a missing part matches any number, so ">1" means ">=2.0.0"'],
  ['<0.0.0', 'no version satisfies it'],
  ['>9999-12-31', 'no version satisfies it'],
  ['2 - 1', 'no version satisfies it'],
  ['latest', '"latest" is not a version. Write a constraint such as ">=1.2.0 <2"'],
  ['1.2.3.4', '"1.2.3.4" is not a version'],
  ['1.2.3.x', '"1.2.3.x" is not a version'],
  ['x.x.x.x', '"x.x.x.x" is not a version'],
  ['01', '"01" is not a version'],
  ['1 - 2 - 3', '"-" is not a version'],
  ['1 - >2', '">2" is not a version'],
  ['>=1<2', '">=1<2" cannot be parsed. Write a constraint such as'],
  ['1 => 2', '"=> 2" cannot be parsed'],
  ['>', '">" cannot be parsed'],
  ['1 !2', '"!2" is not a version'],
]

describe('parseConstraint()', () => {
  for (const [constraint, meaning] of MEANINGS) {
    it(`parses "${constraint}" as ${meaning}`, () => assert.equal(meant(constraint), meaning))
  }

  for (const [constraint, text] of FLAWS) {
    it(`rejects "${constraint}": ${text}`, () => {
      assert.throws(
        () => parseConstraint(constraint),
        (error) => {
          assert.ok(error instanceof SetupError)
          assert.equal(error.code, 'VERSION_CONSTRAINT')
          assert.ok(error.message.startsWith(`Cannot use the version constraint "${constraint}": `), error.message)
          assert.ok(error.message.includes(text), error.message)
          return true
        },
      )
    })
  }

  it('rejects undefined', () => {
    // Proof: plain JavaScript can pass undefined.
    assert.throws(() => parseConstraint(undefined as unknown as string), /"undefined" is not a version/)
  })

  it('returns the original text and the kind', () => {
    const { text, kind } = parseConstraint(' >= 1')
    assert.deepEqual([text, kind, parseConstraint('2026-01-01').kind], [' >= 1', 'number', 'date'])
  })

  it('parses long constraints in linear time', () => {
    assert.equal(meant(`${'>=1 '.repeat(20_000)}<2`), '>=1.0.0 <2.0.0')
    assert.throws(() => parseConstraint(`1${' '.repeat(50_000)}!`), SetupError)
  })
})

describe('satisfies()', () => {
  it('returns false for a version of another kind', () => {
    const [numbers, dates] = [parseConstraint('*'), parseConstraint('>=2026-01-01')]
    const [one, day] = [parseVersion('3000'), parseVersion('2026-02-01')]
    assert.ok(one && day)
    assert.deepEqual(
      [satisfies(numbers, one), satisfies(numbers, day), satisfies(dates, day), satisfies(dates, one)],
      [true, false, true, false],
    )
  })
})
