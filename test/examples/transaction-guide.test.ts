/** The transaction for PostgreSQL is the same code on each page, because `examples/postgres` tests it with connections that are cut. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { filesBelow } from '#test/source.js'

const TRANSACTION = /^const ignore = .*?^export const transaction = provide\(.*?^\}\)\n/ms
const PAGES = ['docs/guides/idempotency.md', 'docs/guides/services.md', 'docs/how-to/use-postgres.md']

describe('the transaction of the guides', () => {
  const [expected = ''] = TRANSACTION.exec(readFileSync('docs/guides/services.md', 'utf8')) ?? []

  for (const page of PAGES) {
    it(`is the same in ${page}`, () => {
      const [code] = TRANSACTION.exec(readFileSync(page, 'utf8')) ?? []
      assert.equal(code, expected)
    })
  }

  it('is on no other page', () => {
    const pages = filesBelow('docs', '.md').filter((page) =>
      /client\.query\(['"`]begin/i.test(readFileSync(page, 'utf8')),
    )
    assert.deepEqual(pages.toSorted(), PAGES)
  })
})

describe('connections in comments of the documentation', () => {
  it('has a listener for errors in each line', () => {
    const documents = [...filesBelow('docs', '.md'), ...filesBelow('src', '.ts')].filter(
      (path) => !path.includes('docs/api/'),
    )
    const lines = documents.flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => /(?:\/\/|\/\*\*|^ \* .*:) .*(?:new Pool\(|new Redis\(|createClient\(.*connect\()/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
    assert.equal(lines.length, 11)
    assert.deepEqual(
      lines.filter((line) => !line.includes(".on('error', ")),
      [],
    )
  })
})
