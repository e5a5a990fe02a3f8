import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseConstraint } from '#src/versioning/constraint.js'
import {
  contains,
  gaps,
  intersect,
  toInterval,
  printInterval,
  uniteIntervals,
  type Intervals,
} from '#src/versioning/interval.js'
import { MIN_VERSION, parseVersion, type Version } from '#src/versioning/version.js'

function set(text: string): Intervals {
  return parseConstraint(text).intervals
}

function version(text: string): Version {
  const parsed = parseVersion(text)
  assert.ok(parsed)
  return parsed
}

function printed(intervals: Intervals): string {
  return intervals.map(printInterval).join(' || ')
}

describe('toInterval()', () => {
  it('returns an empty set unless the end is greater than the start', () => {
    assert.deepEqual(toInterval(version('2'), version('1')), [])
    assert.deepEqual(toInterval(version('2'), version('2')), [])
    assert.equal(toInterval(version('2'), version('2.0.1')).length, 1)
    assert.equal(toInterval(MIN_VERSION.number, null).length, 1)
  })
})

describe('uniteIntervals()', () => {
  it('merges touching and overlapping intervals in any order', () => {
    assert.equal(
      printed(uniteIntervals([...set('3.x'), ...set('1.x'), ...set('2.x'), ...set('5')])),
      '>=1.0.0 <4.0.0 || >=5.0.0 <6.0.0',
    )
    assert.equal(printed(uniteIntervals([...set('>=1'), ...set('2.x')])), '>=1.0.0')
    assert.equal(printed(uniteIntervals([...set('1 - 9'), ...set('2.x')])), '>=1.0.0 <10.0.0')
    assert.equal(printed(uniteIntervals([...set('2026-01-01 - 2026-01-31'), ...set('>=2026-02-01')])), '>=2026-01-01')
  })
})

describe('intersect()', () => {
  for (const [one, other, expected] of [
    ['>=1.2', '<2', '>=1.2.0 <2.0.0'],
    ['1.x || 3.x', '>=1.5 <3.2', '>=1.5.0 <2.0.0 || >=3.0.0 <3.2.0'],
    ['<2', '>=2', ''],
    ['>=1', '>=2', '>=2.0.0'],
    ['>=2026-01-01', '<=2026-01-01', '2026-01-01'],
  ] as const) {
    it(`returns ${expected || 'an empty set'} for ${one} and ${other}`, () => {
      assert.equal(printed(intersect(set(one), set(other))), expected)
      assert.equal(printed(intersect(set(other), set(one))), expected)
    })
  }
})

describe('gaps()', () => {
  it('returns only gaps between intervals', () => {
    assert.equal(printed(gaps(set('1.x || 3.x || >=5.1'))), '>=2.0.0 <3.0.0 || >=4.0.0 <5.1.0')
    assert.deepEqual(gaps(set('1.x || 2.x')), [])
    assert.deepEqual(gaps([]), [])
  })
})

describe('contains()', () => {
  it('includes the start and excludes the end', () => {
    const set12 = set('1.x')
    for (const [text, expected] of [
      ['0.9.9', false],
      ['1', true],
      ['1.99.99', true],
      ['2', false],
    ] as const) {
      assert.equal(contains(set12, version(text)), expected, text)
    }
    assert.ok(contains(set('>=1'), version('9007199254740991')))
    assert.ok(!contains([], version('1')))
  })
})

describe('printInterval()', () => {
  for (const [constraint, text] of [
    ['*', '*'],
    ['>=1.2', '>=1.2.0'],
    ['<2', '<2.0.0'],
    ['=1.2.3', '1.2.3'],
    ['0.0.0', '0.0.0'],
    ['1.x', '>=1.0.0 <2.0.0'],
    ['2026-01-31', '2026-01-31'],
    ['>=2026-01-01 <2026-07-01', '>=2026-01-01 <2026-07-01'],
    ['<=2026-06-30', '<2026-07-01'],
    ['>=0000-01-01', '>=0000-01-01'],
    ['>=9999-12-31', '>=9999-12-31'],
    ['<=9999-12-31', '>=0000-01-01'],
    ['^9007199254740991', '>=9007199254740991.0.0'],
  ] as const) {
    it(`formats ${constraint} as ${text}`, () => assert.equal(printed(set(constraint)), text))
  }
})
