import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SetupError } from '#src/errors/setup-error.js'
import { parseConstraint, satisfies } from '#src/versioning/constraint.js'
import { printInterval } from '#src/versioning/interval.js'
import { parseVersion } from '#src/versioning/version.js'

function meant(text: string): string {
  return parseConstraint(text).intervals.map(printInterval).join(' || ')
}

/** What each form means, written out. */
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

/** What cannot be read, and what the error says. */
const FLAWS: readonly (readonly [constraint: string, text: string])[] = [
  ['', 'it is empty. Write "*" for all versions'],
  ['  ', 'it is empty'],
  ['1 ||', 'nothing stands on one side of "||"'],
  ['|| 1', 'nothing stands on one side of "||"'],
  ['1 || || 2', 'nothing stands on one side of "||"'],
  ['v1.2', '"v1.2" begins with a letter. Write "1.2"'],
  ['>=1.2, <2', 'a space alone means "and"'],
  ['>=1.2 && <2', 'a space alone means "and"'],
  ['1.2.3-beta.1', 'is a prerelease or has build metadata, which clients cannot ask for. Write "1.2.3"'],
  ['>=1.2.3+7', 'Write "1.2.3"'],
  ['1.x.3', 'a number stands behind the wildcard of "1.x.3". Write "1.x"'],
  ['x.1', 'Write "x"'],
  ['2026-01', '"2026-01" is no day of the calendar. Write one as "2026-01-31"'],
  ['>=2026-02-30', '"2026-02-30" is no day of the calendar'],
  ['^2026-01-01', '"^" is for numbers. Write ">=2026-01-01" or "<2026-01-01" for dates'],
  ['~ 2026-01-01', '"~" is for numbers'],
  ['1 || 2026-01-01', 'it mixes numbers and dates'],
  ['>=1 <2026-01-01', 'it mixes numbers and dates'],
  ['1 - 2026-01-01', 'it mixes numbers and dates'],
  ['>1 <2', 'no version satisfies it. Widen it; a part left out stands for any, so that ">1" means ">=2.0.0"'],
  ['<0.0.0', 'no version satisfies it'],
  ['>9999-12-31', 'no version satisfies it'],
  ['2 - 1', 'no version satisfies it'],
  ['latest', '"latest" is no version. Write such as ">=1.2.0 <2"'],
  ['1.2.3.4', '"1.2.3.4" is no version'],
  ['1.2.3.x', '"1.2.3.x" is no version'],
  ['x.x.x.x', '"x.x.x.x" is no version'],
  ['01', '"01" is no version'],
  ['1 - 2 - 3', '"-" is no version'],
  ['1 - >2', '">2" is no version'],
  ['>=1<2', '">=1<2" cannot be read. Write such as'],
  ['1 => 2', '"=> 2" cannot be read'],
  ['>', '">" cannot be read'],
  ['1 !2', '"!2" is no version'],
]

describe('parseConstraint()', () => {
  for (const [constraint, meaning] of MEANINGS) {
    it(`reads "${constraint}" as ${meaning}`, () => assert.equal(meant(constraint), meaning))
  }

  for (const [constraint, text] of FLAWS) {
    it(`refuses "${constraint}": ${text}`, () => {
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

  it('refuses what is no text', () => {
    // Proof: what a plain JavaScript project may pass.
    assert.throws(() => parseConstraint(undefined as unknown as string), /"undefined" is no version/)
  })

  it('keeps the text as it was written, and knows its kind', () => {
    const { text, kind } = parseConstraint(' >= 1')
    assert.deepEqual([text, kind, parseConstraint('2026-01-01').kind], [' >= 1', 'number', 'date'])
  })

  it('reads a long text in time that grows with its length', () => {
    assert.equal(meant(`${'>=1 '.repeat(20_000)}<2`), '>=1.0.0 <2.0.0')
    assert.throws(() => parseConstraint(`1${' '.repeat(50_000)}!`), SetupError)
  })
})

describe('satisfies()', () => {
  it('compares a version with a constraint of its kind alone', () => {
    const [numbers, dates] = [parseConstraint('*'), parseConstraint('>=2026-01-01')]
    const [one, day] = [parseVersion('3000'), parseVersion('2026-02-01')]
    assert.ok(one && day)
    assert.deepEqual(
      [satisfies(numbers, one), satisfies(numbers, day), satisfies(dates, day), satisfies(dates, one)],
      [true, false, true, false],
    )
  })
})
