/** The whole stack: PostgreSQL, Redis, four processes of the app, and nginx. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresServer } from '../../postgres/test/postgres-server.js'
import { RedisServer } from '../test/redis-server.js'
import { Fleet } from './fleet.js'
import { Nginx } from './nginx.js'

/** Settings of the stack. */
export interface StackSettings {
  /** URL of an existing database; default: starts PostgreSQL. */
  readonly databaseUrl?: string | undefined
  /** URL of an existing Redis; default: starts Redis. */
  readonly redisUrl?: string | undefined
  /** Additional environment variables of the processes. */
  readonly env?: Readonly<Record<string, string>>
  /** Port of nginx; 0 selects a free one. */
  readonly port: number
  readonly report: (message: string) => void
}

/** A running stack. */
export interface Stack {
  readonly url: string
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly fleet: Fleet
  readonly nginx: Nginx
  /** The Redis server, if the stack has started it. */
  readonly redis: RedisServer | undefined
  /** Stops everything: nginx and the processes first, then the servers that they use. */
  close(): Promise<void>
}

export async function openStack({ databaseUrl, redisUrl, env: more, port, report }: StackSettings): Promise<Stack> {
  const ends: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end().catch((error: unknown) => report(String(error)))
    ends.length = 0
  }
  try {
    const folder = mkdtempSync(join(tmpdir(), 'verbena-scale-'))
    ends.push(async () => rmSync(folder, { recursive: true, force: true }))
    const database =
      databaseUrl === undefined ? await startServer(new PostgresServer({ signals: false }), ends) : undefined
    const redis = redisUrl === undefined ? await startServer(new RedisServer({ signals: false }), ends) : undefined
    const env = {
      DATABASE_URL: databaseUrl ?? database?.url ?? '',
      REDIS_URL: redisUrl ?? redis?.url ?? '',
      // A random key, so sessions end with the stack. In production, store the keys as a secret.
      SESSION_KEYS: process.env['SESSION_KEYS'] ?? randomBytes(32).toString('base64url'),
      ...more,
    }
    const fleet = new Fleet({ folder, size: 4, env, report })
    ends.push(() => fleet.stop())
    await fleet.start()
    const nginx = new Nginx({ folder, sockets: fleet.sockets, port })
    ends.push(() => nginx.stop())
    await nginx.start()
    return { url: nginx.url, databaseUrl: env.DATABASE_URL, redisUrl: env.REDIS_URL, fleet, nginx, redis, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function startServer<S extends { start(): Promise<void>; remove(): Promise<void> }>(
  server: S,
  ends: (() => Promise<void>)[],
): Promise<S> {
  ends.push(() => server.remove())
  await server.start()
  return server
}
