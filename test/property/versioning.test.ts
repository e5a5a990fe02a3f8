import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import semver from 'semver'
import { SetupError } from '#src/errors/setup-error.js'
import { parseConstraint, satisfies } from '#src/versioning/constraint.js'
import {
  contains,
  gaps,
  intersect,
  toInterval,
  printInterval,
  uniteIntervals,
  type Intervals,
} from '#src/versioning/interval.js'
import { compareVersions, parseVersion, printVersion, type Version } from '#src/versioning/version.js'

// Few numbers, so that bounds coincide; 9 and 10, to detect comparison as strings.
const NUMBERS = [0, 1, 2, 9, 10]
const GRID = NUMBERS.flatMap((major) =>
  NUMBERS.flatMap((minor) => NUMBERS.map((patch) => `${major}.${minor}.${patch}`)),
)
const DATES = ['0000-01-01', '1999-12-31', '2024-02-28', '2024-02-29', '2024-03-01', '2026-01-09', '2026-01-10'].concat(
  ['2026-01-31', '2026-02-01', '9999-12-30', '9999-12-31'],
)

const number = fc.constantFrom(...NUMBERS.map(String))
const wildcard = fc.constantFrom('x', 'X', '*')
const partial = fc.oneof(
  fc.tuple(number, number, number).map((parts) => parts.join('.')),
  fc.tuple(number, number).map((parts) => parts.join('.')),
  number,
  wildcard,
  fc.tuple(number, wildcard).map((parts) => parts.join('.')),
  fc.tuple(number, number, wildcard).map((parts) => parts.join('.')),
  fc.tuple(number, wildcard, wildcard).map((parts) => parts.join('.')),
)
const operator = fc.constantFrom('', '=', '>', '>=', '<', '<=', '^', '~')
const space = fc.constantFrom('', '', '', ' ')

function alternatives(operand: fc.Arbitrary<string>, operators: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const comparator = fc.tuple(operators, space, operand).map((parts) => parts.join('').trim())
  const conjunction = fc.array(comparator, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '))
  return fc.oneof(
    { weight: 3, arbitrary: conjunction },
    { weight: 1, arbitrary: fc.tuple(operand, operand).map((both) => both.join(' - ')) },
  )
}

const constraint = fc
  .array(alternatives(partial, operator), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(' || '))

/** Returns the versions that satisfy a constraint; empty if the constraint is unsatisfiable. */
function satisfying(text: string, versions: readonly string[]): string[] {
  try {
    const read = parseConstraint(text)
    return versions.filter((version) => satisfies(read, versionOf(version)))
  } catch (error) {
    assert.match(String(error), /no version satisfies it/)
    return []
  }
}

function versionOf(text: string): Version {
  const version = parseVersion(text)
  assert.ok(version, text)
  return version
}

describe('parseConstraint(): agreement with the package semver', () => {
  it('matches the same versions for 5,000 constraints and 125 versions each', () => {
    fc.assert(
      fc.property(constraint, (text) => {
        const range = new semver.Range(text)
        assert.deepEqual(
          satisfying(text, GRID),
          GRID.filter((version) => range.test(version)),
        )
      }),
      { numRuns: 5_000 },
    )
  })

  it('matches the same versions at random bounds', () => {
    const part = fc.oneof(fc.nat(3), fc.nat())
    const version = fc.tuple(part, part, part).map((parts) => parts.join('.'))
    const pair = fc.tuple(alternatives(fc.oneof(version, partial), operator), version)
    fc.assert(
      fc.property(pair, ([text, asked]) => {
        assert.equal(satisfying(text, [asked]).length > 0, semver.satisfies(asked, text))
      }),
      { numRuns: 5_000 },
    )
  })

  // Constraints that semver accepts and Verbena rejects. Dates are the reverse: only Verbena accepts them.
  const DIFFERENCES: readonly (readonly [text: string, why: string])[] = [
    ['', 'an empty string is usually a mistake'],
    ['1.x ||', 'one alternative is an empty string'],
    ['>2 <1', 'an endpoint without any version is unreachable'],
    ['>*', 'no version is greater than every version'],
    ['v1.2.3', 'versions have no prefix "v"'],
    ['=v1.2.3', 'versions have no prefix "v", even after an operator'],
    ['~>1.2', 'the operator is "~"'],
    ['>=1.2.3-beta.1', 'prereleases are not supported'],
    ['1.2.3+build', 'build metadata is not supported'],
    ['> =1', 'an operator contains no space'],
    ['~ >1', 'operators cannot be combined'],
  ]
  for (const [text, why] of DIFFERENCES) {
    it(`differs at "${text}": ${why}`, () => {
      assert.notEqual(semver.validRange(text), null)
      assert.throws(() => parseConstraint(text), SetupError)
    })
  }

  const REFUSED_BY_BOTH = [
    '1.2.3.4',
    'a',
    '1.-1',
    '1..2',
    '>',
    '1 - 2 <1.5',
    '1 -2',
    '>=1<2',
    '1.x.3',
    'x.1',
    '01.2',
    '1 => 2',
  ]
  for (const text of REFUSED_BY_BOTH) {
    it(`rejects "${text}", as semver does`, () => {
      assert.equal(semver.validRange(text), null)
      assert.throws(() => parseConstraint(text), SetupError)
    })
  }
})

describe('parseConstraint(): dates against brute force', () => {
  // Date strings sort in the order of the dates.
  const COMPARE: Readonly<Record<string, (one: string, other: string) => boolean>> = {
    '': (one, other) => one === other,
    '=': (one, other) => one === other,
    '>': (one, other) => one > other,
    '>=': (one, other) => one >= other,
    '<': (one, other) => one < other,
    '<=': (one, other) => one <= other,
  }

  function oracle(text: string): string[] {
    return DATES.filter((asked) => text.split(' || ').some((part) => holds(part, asked)))
  }

  function holds(part: string, asked: string): boolean {
    const [first = '', last] = part.split(' - ')
    if (last !== undefined) return first <= asked && asked <= last
    return [...part.matchAll(/([<>=]*) *([^<>= ]+)/g)].every(([, sign = '', date = '']) => COMPARE[sign]?.(asked, date))
  }

  it('matches the same dates as a comparison of strings', () => {
    const dated = alternatives(fc.constantFrom(...DATES), fc.constantFrom(...Object.keys(COMPARE)))
    const constraint = fc.array(dated, { minLength: 1, maxLength: 3 }).map((all) => all.join(' || '))
    fc.assert(
      fc.property(constraint, (text) => assert.deepEqual(satisfying(text, DATES), oracle(text))),
      { numRuns: 3_000 },
    )
  })
})

describe('intervals: laws', () => {
  const versions = GRID.map(versionOf)
  const version = fc.constantFrom(...versions)
  const interval = fc.tuple(version, fc.option(version)).map(([from, to]) => toInterval(from, to))
  const pieces = fc.array(interval, { maxLength: 5 }).map((all) => all.flat())
  const set = pieces.map(uniteIntervals)
  const RUNS = { numRuns: 2_000 }

  const members = (intervals: Intervals): Version[] => versions.filter((each) => contains(intervals, each))
  const isNormal = (intervals: Intervals): boolean =>
    intervals.every(({ from, to }, index) => {
      const next = intervals[index + 1]
      if (to === null) return next === undefined
      return compareVersions(from, to) < 0 && (next === undefined || compareVersions(to, next.from) < 0)
    })

  it('uniteIntervals() contains the versions of all parts, in normal form', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const united = uniteIntervals(all)
        assert.ok(isNormal(united))
        assert.deepEqual(
          members(united),
          versions.filter((each) => all.some((part) => contains([part], each))),
        )
        assert.deepEqual(uniteIntervals(united), united)
      }),
      RUNS,
    )
  })

  it('intersect() contains the common versions, in normal form and in either order', () => {
    fc.assert(
      fc.property(set, set, (one, other) => {
        const both = intersect(one, other)
        assert.ok(isNormal(both))
        assert.deepEqual(
          members(both),
          members(one).filter((each) => contains(other, each)),
        )
        assert.deepEqual(intersect(other, one), both)
        assert.deepEqual(intersect(one, one), one)
      }),
      RUNS,
    )
  })

  it('intersect() and uniteIntervals() are distributive and associative', () => {
    fc.assert(
      fc.property(set, set, set, (a, b, c) => {
        assert.deepEqual(
          intersect(a, uniteIntervals([...b, ...c])),
          uniteIntervals([...intersect(a, b), ...intersect(a, c)]),
        )
        assert.deepEqual(intersect(a, intersect(b, c)), intersect(intersect(a, b), c))
        assert.deepEqual(
          uniteIntervals([...a, ...uniteIntervals([...b, ...c])]),
          uniteIntervals([...c, ...uniteIntervals([...a, ...b])]),
        )
      }),
      RUNS,
    )
  })

  it('gaps() and the set are disjoint, and form one interval together', () => {
    fc.assert(
      fc.property(set, (one) => {
        const between = gaps(one)
        assert.ok(isNormal(between))
        assert.deepEqual(intersect(one, between), [])
        assert.equal(uniteIntervals([...one, ...between]).length, Math.min(one.length, 1))
        assert.equal(between.length, Math.max(one.length - 1, 0))
      }),
      RUNS,
    )
  })

  it('printInterval() returns a constraint with the same interval', () => {
    const day = fc.constantFrom(...DATES.map(versionOf))
    const dated = fc.tuple(day, fc.option(day)).map(([from, to]) => toInterval(from, to))
    fc.assert(
      fc.property(fc.oneof(interval, dated), (intervals) => {
        for (const each of intervals) assert.deepEqual(parseConstraint(printInterval(each)).intervals, [each])
      }),
      RUNS,
    )
  })

  it('printVersion() is the inverse of parseVersion()', () => {
    const part = fc.oneof(fc.nat(12), fc.maxSafeNat())
    const parts = fc.tuple(part, part, part).map((all) => all.join('.'))
    const day = fc
      .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
    fc.assert(
      fc.property(fc.oneof(parts, day), (text) => assert.equal(printVersion(versionOf(text)), text)),
      RUNS,
    )
  })
})
