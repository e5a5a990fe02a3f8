import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compareVersions, parseVersion, printVersion, versionBehind } from '#src/versioning/version.js'

describe('parseVersion()', () => {
  for (const [text, printed] of [
    ['1', '1.0.0'],
    ['1.4', '1.4.0'],
    ['1.4.2', '1.4.2'],
    ['0', '0.0.0'],
    ['10.20.30', '10.20.30'],
    ['2026', '2026.0.0'],
    ['9007199254740991.0.1', '9007199254740991.0.1'],
    ['2026-01-31', '2026-01-31'],
    ['2024-02-29', '2024-02-29'],
    ['0000-01-01', '0000-01-01'],
    ['0099-12-31', '0099-12-31'],
  ] as const) {
    it(`parses "${text}"`, () => {
      const version = parseVersion(text)
      assert.equal(version && printVersion(version), printed)
      assert.equal(version?.kind, text.includes('-') ? 'date' : 'number')
    })
  }

  for (const text of [
    ...['', ' ', '1.', '.1', '1..2', '1.2.3.4', '01', '1.02', '-1', '+1', '1e3', '0x1', '١', '1 ', ' 1', '1\n'],
    ...['v1', '=1', 'x', '*', '1.x', '>=1', '1, 2', 'latest', '1.2.3-beta', '1.2.3+build', '9007199254740992'],
    ...['2026-1-1', '2026-02-30', '2023-02-29', '2026-13-01', '2026-00-01', '2026-01-00', '2026-01'],
    ...['2026-01-31T00:00:00Z', '+12026-01-01', '-2026-01-01', '12026-01-01', '2026-01-31\n'],
  ]) {
    it(`rejects ${JSON.stringify(text)}`, () => assert.equal(parseVersion(text), undefined))
  }

  it('rejects a number of 100,000 digits', () => assert.equal(parseVersion('1'.repeat(100_000)), undefined))
})

describe('compareVersions()', () => {
  it('compares parts from left to right as numbers', () => {
    const texts = ['0.0.1', '0.1.0', '0.9.9', '0.10.0', '1.0.0', '9.0.0', '10.0.0']
    const versions = texts.map((text) => parseVersion(text)).filter((version) => version !== undefined)
    for (const [at, one] of versions.entries()) {
      for (const [index, other] of versions.entries()) {
        assert.equal(Math.sign(compareVersions(one, other)), Math.sign(at - index))
      }
    }
  })
})

describe('versionBehind()', () => {
  for (const [text, place, expected] of [
    ['1.4.2', 2, '1.4.3'],
    ['1.4.2', 1, '1.5.0'],
    ['1.4.2', 0, '2.0.0'],
    ['1.4.9007199254740991', 2, '1.5.0'],
    ['1.9007199254740991.9007199254740991', 2, '2.0.0'],
    ['1.9007199254740991.3', 1, '2.0.0'],
    ['9007199254740991.0.0', 0, undefined],
    ['9007199254740991.9007199254740991.9007199254740991', 2, undefined],
    ['2026-01-31', 2, '2026-02-01'],
    ['2024-02-28', 2, '2024-02-29'],
    ['2023-02-28', 2, '2023-03-01'],
    ['2026-12-31', 2, '2027-01-01'],
    ['0099-12-31', 2, '0100-01-01'],
    ['9999-12-31', 2, undefined],
  ] as const) {
    it(`returns ${expected ?? 'null'} for ${text} and place ${place}`, () => {
      const version = parseVersion(text)
      assert.ok(version)
      const behind = versionBehind(version, place)
      assert.equal(behind === null ? undefined : printVersion(behind), expected)
    })
  }
})
