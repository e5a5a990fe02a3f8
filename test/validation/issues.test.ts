import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Issues, listIssues, type ListedIssues } from '#src/validation/issues.js'

function many(count: number, complaint: object = { message: 'Bad' }): Issues {
  return new Issues(
    Array.from({ length: count }, () => complaint),
    {},
  )
}

function listed(most: number, ...values: readonly Issues[]): ListedIssues {
  return listIssues(
    values.map((issues) => [undefined, issues] as const),
    most,
  )
}

describe('Issues', () => {
  it('reads an issue only when it is requested', () => {
    const reads: number[] = []
    const complaint = (at: number): object => ({
      path: [at],
      get message() {
        reads.push(at)
        return 'Bad'
      },
    })
    const issues = new Issues([complaint(0), complaint(1)], {})
    assert.deepEqual(reads, [])
    assert.deepEqual(issues.at(1), { pointer: '/1', message: 'Bad' })
    assert.deepEqual(reads, [1])
  })

  it('cuts a key at 256 characters, before it is escaped', () => {
    const pointerOf = (...path: unknown[]): string => new Issues([{ message: 'Bad', path }], {}).at(0).pointer
    assert.equal(pointerOf('k'.repeat(256), 0), `/${'k'.repeat(256)}/0`)
    assert.equal(pointerOf('k'.repeat(257), 0), `/${'k'.repeat(256)}…/0`)
    assert.equal(pointerOf('/'.repeat(300)), `/${'~1'.repeat(256)}…`)
  })

  it('does not split a surrogate pair when it cuts a key', () => {
    const { pointer } = new Issues([{ message: 'Bad', path: [`${'k'.repeat(255)}😀`] }], {}).at(0)
    assert.equal(pointer, `/${'k'.repeat(255)}…`)
  })

  it('cuts a pointer at 4,096 characters, between two keys', () => {
    const { pointer } = new Issues([{ message: 'Bad', path: Array.from({ length: 2_000 }, () => 'key') }], {}).at(0)
    assert.equal(pointer, `${'/key'.repeat(1_024)}/…`)
  })

  it('cuts a message at 1,000 characters', () => {
    const messageOf = (message: string): string => new Issues([{ message }], {}).at(0).message
    assert.equal(messageOf('m'.repeat(1_000)), 'm'.repeat(1_000))
    assert.equal(messageOf('m'.repeat(1_001)), `${'m'.repeat(1_000)}…`)
  })

  it('hides strings of the value before it cuts a message, even if a key is cut', () => {
    const key = 'k'.repeat(300)
    const secret = 's'.repeat(2_000)
    const value = { [key]: { inner: secret, other: 'o' }, text: secret, [`${'k'.repeat(256)}…`]: 'wrong' }
    const messageOf = (path: unknown[]): string =>
      new Issues([{ message: `got "${secret}", not "o"`, path }], value).at(0).message
    assert.equal(messageOf([key]), 'got "...", not "..."')
    assert.equal(messageOf([key, { key: 'inner' }]), 'got "...", not "o"')
    assert.equal(messageOf(['text']), 'got "...", not "o"')
  })

  it('hides a string if the path continues inside it', () => {
    const issues = new Issues([{ message: 'got "a,b"', path: ['list', 1] }], { list: 'a,b' })
    assert.equal(issues.at(0).message, 'got "..."')
  })
})

describe('listIssues()', () => {
  it('lists the first issues of all values, and counts the others', () => {
    const values = [many(2, { message: 'One' }), many(4, { message: 'Two' }), many(1, { message: 'Three' })]
    const { list, omitted } = listed(3, ...values)
    assert.deepEqual(
      list.map(({ message }) => message),
      ['One', 'One', 'Two'],
    )
    assert.equal(omitted, 4)
  })

  it('adds the part of the request to each issue, and freezes it', () => {
    const { list } = listIssues(
      [
        ['query', many(1)],
        ['body', new Issues([{ message: 'Bad', code: 'c' }, 'text'], {})],
      ],
      9,
    )
    assert.deepEqual(list, [
      { in: 'query', pointer: '', message: 'Bad' },
      { in: 'body', pointer: '', message: 'Bad' },
      { in: 'body', pointer: '', message: 'Invalid value' },
    ])
    assert.deepEqual(
      list.map((issue) => Reflect.get(issue, 'code')),
      [undefined, 'c', undefined],
    )
    assert.ok(list.every((issue) => Object.isFrozen(issue)))
  })

  it('omits no issues if all of them fit', () => {
    const { list, omitted } = listed(3, many(3))
    assert.deepEqual([list.length, omitted], [3, 0])
  })

  it('lists no issues if the maximum is 0', () => {
    assert.deepEqual(listed(0, many(3)), { list: [], omitted: 3 })
  })

  it('stops at the first issue that exceeds 60,000 bytes of JSON', () => {
    const long = { message: '\0'.repeat(1_000), path: Array.from({ length: 40 }, () => '\0'.repeat(90)) }
    const { list, omitted } = listed(1_000, many(3, long), many(1))
    assert.deepEqual([list.length, omitted], [2, 2])
    assert.ok(Buffer.byteLength(JSON.stringify(list)) <= 60_000)
    for (const text of ['\0', '…', '😀', '"']) {
      const worst = listed(1_000, many(1_000, { message: text.repeat(2_000), path: [text.repeat(300)] }))
      const bytes = Buffer.byteLength(JSON.stringify(worst.list))
      assert.ok(bytes <= 60_001 && bytes > 50_000, `${bytes} bytes`)
      assert.equal(worst.list.length + worst.omitted, 1_000)
    }
  })

  it('always lists at least one issue of any length', () => {
    const path = Array.from({ length: 64 }, () => '\0'.repeat(10_000))
    assert.ok(listed(100, many(2, { message: '\0'.repeat(10_000), path })).list.length >= 1)
  })
})
