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

/** Pages with code or a comment that opens a connection to a server, and the test that restarts this server. */
const RESTARTED: Readonly<Record<string, string>> = {
  'docs/guides/idempotency.md': 'examples/scale/test/guide-connections.test.ts',
  'docs/guides/postgres.md': 'examples/scale/test/guide-connections.test.ts',
  'docs/guides/rate-limits.md': 'examples/scale/test/guide-connections.test.ts',
  'docs/guides/scale.md': 'examples/scale/test/guide-connections.test.ts',
  'docs/guides/services.md': 'examples/postgres/test/guide.test.ts',
  'docs/guides/sessions.md': 'examples/scale/test/guide-connections.test.ts',
  'docs/how-to/run-worker-beside-api.md': 'examples/postgres/test/page-server.ts',
  'docs/how-to/use-drizzle.md': 'examples/postgres/test/page-server.ts',
  'docs/how-to/use-knex.md': 'examples/postgres/test/page-server.ts',
  'docs/how-to/use-kysely.md': 'examples/postgres/test/page-server.ts',
  'docs/how-to/use-mikroorm.md': 'examples/postgres/test/page-server.ts',
  'docs/how-to/use-postgres.md': 'examples/postgres/test/page-server.ts',
  'docs/how-to/use-prisma.md': 'examples/postgres/test/page-server.ts',
  'docs/how-to/use-redis.md': 'examples/scale/test/how-to.test.ts',
  'docs/how-to/use-sequelize.md': 'examples/postgres/test/page-server.ts',
  'docs/how-to/use-typeorm.md': 'examples/postgres/test/page-server.ts',
}
const OPENS =
  /new (?:pg\.)?Pool\(|createPool\(|createClient\(\{|new Redis\(|new PrismaPg\(|new MongoClient\(|new pg\.Client\(|knex\(\{|new DataSource\(|new Sequelize\(|MikroORM\.init\(/

describe('a page that opens a connection', () => {
  it('has a test that restarts the server', () => {
    const pages = filesBelow('docs', '.md').filter(
      (page) => /^docs\/(?:guides|how-to)\//.test(page) && OPENS.test(readFileSync(page, 'utf8')),
    )
    assert.deepEqual(pages.toSorted(), Object.keys(RESTARTED))
    for (const test of Object.values(RESTARTED)) assert.match(readFileSync(test, 'utf8'), /restart/)
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
