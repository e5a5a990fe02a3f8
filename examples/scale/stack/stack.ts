/** All of it: PostgreSQL, Redis, four processes of the app, and nginx before them. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresServer } from '../../postgres/test/postgres-server.js'
import { RedisServer } from '../test/redis-server.js'
import { Fleet } from './fleet.js'
import { Nginx } from './nginx.js'

/** What can be chosen. */
export interface StackSettings {
  /** A database that is there; without it a PostgreSQL of its own is started. */
  readonly databaseUrl?: string | undefined
  /** A Redis that is there; without it one of its own is started. */
  readonly redisUrl?: string | undefined
  /** More settings of the processes, by the names of environment variables. */
  readonly env?: Readonly<Record<string, string>>
  /** Port of nginx; 0 picks one that is free. */
  readonly port: number
  readonly report: (message: string) => void
}

/** All of it, while it runs. */
export interface Stack {
  readonly url: string
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly fleet: Fleet
  readonly nginx: Nginx
  /** Those of its own. */
  readonly redis: RedisServer | undefined
  /** Ends all of it: first what takes requests, then what they need. */
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
    const database = databaseUrl === undefined ? await started(new PostgresServer({ signals: false }), ends) : undefined
    const redis = redisUrl === undefined ? await started(new RedisServer({ signals: false }), ends) : undefined
    const env = {
      DATABASE_URL: databaseUrl ?? database?.url ?? '',
      REDIS_URL: redisUrl ?? redis?.url ?? '',
      // Sessions end with the stack. A shop that stays has its keys in a secret.
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

async function started<S extends { start(): Promise<void>; remove(): Promise<void> }>(
  server: S,
  ends: (() => Promise<void>)[],
): Promise<S> {
  ends.push(() => server.remove())
  await server.start()
  return server
}
