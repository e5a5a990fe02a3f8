/** The connections in comments of the guides, unchanged, with a server that restarts. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { LimitStore } from 'verbena/limits'
import { redisLimits, type RedisClient } from 'verbena/redis'
import { postgresLimits, type PostgresPool } from 'verbena/postgres'
import { PostgresServer } from '../../postgres/test/postgres-server.js'
import { recordUncaught } from '../../postgres/test/support.js'
import { RedisServer } from './redis-server.js'
import { until } from './support.js'

const GUIDES = join(import.meta.dirname, '..', '..', '..', 'docs', 'guides')
const FOLDER = join(import.meta.dirname, '..', '.cache')
const IMPORTS = "import { createClient } from 'redis'\nimport { Redis } from 'ioredis'\nimport { Pool } from 'pg'\n"

const uncaught = recordUncaught()

/** Returns an expression in a comment of a guide. */
function expressionOf(page: string, pattern: RegExp): string {
  return pattern.exec(readFileSync(join(GUIDES, page), 'utf8'))?.[1] ?? assert.fail(`${page} has no ${pattern}`)
}

/** Returns a function of a URL from an expression. */
async function importExpression(name: string, expression: string): Promise<(url: string) => unknown> {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${name}.${process.pid}.ts`)
  writeFileSync(file, `${IMPORTS}export const open = async (url: string): Promise<unknown> => ${expression}\n`)
  try {
    return (await import(pathToFileURL(file).href)).open
  } finally {
    rmSync(file)
  }
}

/** Asserts that a store works again after its server was stopped and started. */
async function restart(server: RedisServer | PostgresServer, store: LimitStore): Promise<void> {
  const charge = { key: 'a', limit: 1_000_000, window: 60_000, cost: 1 }
  await store.take(charge)
  await server.stop()
  const failing = Promise.resolve(store.take(charge)).then(
    () => true,
    () => false,
  )
  await server.start()
  await failing
  await until(
    () =>
      Promise.resolve(store.take(charge)).then(
        () => true,
        () => false,
      ),
    'the store is available again',
  )
  assert.deepEqual(uncaught.splice(0), [])
}

describe('a client of Redis as in the guides', () => {
  const server = new RedisServer()
  before(() => server.start())
  after(() => server.remove())

  for (const page of ['idempotency.md', 'rate-limits.md', 'scale.md', 'sessions.md']) {
    for (const [name, pattern] of [
      ['redis', /^\/\/ With the package redis: (.+)$/m],
      ['ioredis', /^\/\/ With ioredis: (.+)$/m],
    ] as const) {
      it(`survives a restart of the server: ${name} in ${page}`, async (t) => {
        t.mock.method(console, 'error', () => {})
        const open = await importExpression(`${page}.${name}`, expressionOf(page, pattern))
        // Proof: the guides pass the result to the stores.
        const client = (await open(server.url)) as RedisClient & { destroy?(): void; disconnect(): unknown }
        await restart(server, redisLimits(client))
        if (client.destroy === undefined) client.disconnect()
        else client.destroy()
      })
    }
  }
})

describe('a pool of PostgreSQL as in the guides', () => {
  const server = new PostgresServer()
  before(() => server.start())
  after(() => server.remove())

  it('survives a restart of the server: postgres.md', async (t) => {
    t.mock.method(console, 'error', () => {})
    const shown = expressionOf('postgres.md', /With the package pg: service\(\(\) => (.+), \{ close/)
    const open = await importExpression('postgres.md', shown.replace('…', '{ connectionString: url }'))
    // Proof: the guide passes the result to the stores.
    const pool = (await open(server.url)) as PostgresPool & { end(): Promise<void> }
    await restart(server, postgresLimits(pool, { create: true }))
    await pool.end()
  })
})
