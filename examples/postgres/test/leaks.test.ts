/** 10,000 requests of all kinds, including rejected, failed and aborted ones: no connection and no cent may be lost. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bankApp } from '../app.js'
import { openControl, setAccounts, startDatabase, readStates, until } from './support.js'

const REQUESTS = 10_000
/** More clients than connections in the pool, so that some requests wait. */
const CLIENTS = 40
const ACCOUNTS = 20
const BALANCE = 1_000
/** An account whose owner violates the contract, so that a transfer to it fails after its statements. */
const BROKEN = ACCOUNTS + 1
const MISSING = ACCOUNTS + 2

interface Kind {
  readonly path: string
  readonly body?: object
  /** Expected statuses; empty for a client that disconnects. */
  readonly statuses: readonly number[]
}

/** Returns the kind of the request with this number. The kinds repeat every 100 requests. */
function kindOf(number: number): Kind {
  const round = number % 100
  const from = 1 + (number % ACCOUNTS)
  const to = 1 + ((from + (number % (ACCOUNTS - 1))) % ACCOUNTS)
  const transfer = (body: object, ...statuses: number[]): Kind => {
    return { path: '/transfers', body: { from, to, amount: 1 + round, ...body }, statuses }
  }
  if (round < 20) return { path: `/accounts/${from}`, statuses: [200] }
  if (round < 55) return transfer({}, 201, 409)
  if (round < 65) return transfer({ amount: 1, to: MISSING }, 404, 409)
  if (round < 72) return transfer({ amount: 1_000_000 }, 409)
  if (round < 80) return transfer({ amount: 0 }, 422)
  if (round < 88) return transfer({ amount: 1, to: BROKEN }, 500, 409)
  return transfer({})
}

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })

function open(url: string, { path, body }: Kind): ClientRequest {
  if (body === undefined) return request(`${url}${path}`, { agent }).end()
  const headers = { 'content-type': 'application/json' }
  return request(`${url}${path}`, { agent, method: 'POST', headers }).end(JSON.stringify(body))
}

async function statusOf(asked: ClientRequest): Promise<number | undefined> {
  const [answer]: IncomingMessage[] = await once(asked, 'response')
  answer?.resume()
  return answer?.statusCode
}

/** Disconnects before, during or after the transaction. */
async function leave(asked: ClientRequest, number: number): Promise<void> {
  asked.on('error', () => {})
  await sleep(number % 12)
  asked.destroy()
}

describe('10,000 mixed requests', () => {
  it('leaves every connection in the pool and every cent in its account', async (t) => {
    const database = await startDatabase()
    const abandoned = { count: 0 }
    const debug = (_fields: object, message?: string) =>
      void (abandoned.count += message === 'Client disconnected' ? 1 : 0)
    const logger = { debug, info() {}, warn() {}, error() {} }
    // On a busy machine, requests may wait long for a connection.
    const app = bankApp({ ...database.options, connectionTimeoutMillis: 60_000 }, { logger, signals: false })
    const { url } = await app.listen()
    const control = await openControl(database)
    t.after(async () => {
      agent.destroy()
      await app.close()
      await control.end()
      await database.server.remove()
    })
    await setAccounts(control, BROKEN, BALANCE)
    await control.query("update accounts set owner = repeat('a', 51) where id = $1", [BROKEN])

    const seen = new Map<number | undefined, number>()
    let next = 0
    const work = async (): Promise<void> => {
      for (let number = next++; number < REQUESTS; number = next++) {
        const kind = kindOf(number)
        const asked = open(url, kind)
        if (kind.statuses.length === 0) await leave(asked, number)
        else {
          const status = await statusOf(asked)
          assert.ok(
            kind.statuses.some((expected) => expected === status),
            `${JSON.stringify(kind)} was answered ${status}`,
          )
          seen.set(status, (seen.get(status) ?? 0) + 1)
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, work))
    t.diagnostic(
      `${JSON.stringify(Object.fromEntries(seen))}, ${abandoned.count} rolled back because their client left`,
    )
    assert.deepEqual(
      [...seen.keys()].toSorted((one, other) => Number(one) - Number(other)),
      [200, 201, 404, 409, 422, 500],
    )

    const { db } = app.services
    await until(() => db.idleCount === db.totalCount && db.waitingCount === 0, 'all connections are back')
    assert.ok(db.totalCount <= 10)
    assert.deepEqual(new Set(await readStates(control)), new Set(['idle']))
    const { rows } = await control.query(`
      select sum(balance)::integer as money, min(balance) >= 0 as sound,
        (select count(*)::integer from transfers) as transfers
      from accounts`)
    const { money, sound, transfers } = rows[0]
    assert.deepEqual([money, sound], [BROKEN * BALANCE, true])
    const made = seen.get(201) ?? 0
    // Some clients disconnected after their transfer was done.
    assert.ok(
      transfers >= made && transfers <= made + REQUESTS * 0.12,
      `${transfers} transfers, ${made} of them answered`,
    )
    assert.equal((await control.query('select from transfers where target = $1', [BROKEN])).rowCount, 0)
  })
})
