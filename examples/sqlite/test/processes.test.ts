/** Processes that share a file, and one that is killed between the claim of a key and its response. */
import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { sqliteIdempotency } from 'verbena/sqlite'

const folder = mkdtempSync(join(tmpdir(), 'verbena-sqlite-'))
const started = new Set<ChildProcess>()
after(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function start(name: string, ...args: string[]): ChildProcess {
  const path = fileURLToPath(new URL(name, import.meta.url))
  const child = fork(path, args, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  started.add(child)
  child.once('exit', () => started.delete(child))
  return child
}

/** Returns the next message of a process. Rejects if the process ends before. */
async function messageOf<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController()
  const abort = (): void => ended.abort()
  child.once('exit', abort)
  try {
    const [message] = await once(child, 'message', { signal: ended.signal })
    return message
  } finally {
    child.off('exit', abort)
  }
}

interface Counted {
  readonly claimed: number
  readonly allowed: number
  readonly isStored: boolean
}

describe('useWal()', () => {
  it('waits if other processes switch the same file', async () => {
    const at = String(Date.now() + 2_000)
    const files = mkdtempSync(join(folder, 'wal-'))
    const children = Array.from({ length: 3 }, () => start('wal-child.ts', files, at, '100'))
    assert.deepEqual(await Promise.all(children.map((child) => messageOf<string[]>(child))), [[], [], []])
  })
})

describe('stores in SQLite, shared by processes', () => {
  for (const round of [1, 2, 3]) {
    it(`creates tables from several processes, and counts across them, round ${round}`, async () => {
      const children = Array.from({ length: 3 }, () => start('store-child.ts', join(folder, `round-${round}.db`)))
      await Promise.all(children.map((child) => messageOf(child)))
      const counted = children.map((child): Promise<Counted> => messageOf(child))
      for (const child of children) child.send('go')
      const results = await Promise.all(counted)
      assert.equal(sum(results.map(({ claimed }) => claimed)), 200)
      assert.equal(sum(results.map(({ allowed }) => allowed)), 300)
      assert.ok(results.every(({ isStored }) => isStored))
    })
  }
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}

describe('payments of two processes', () => {
  const [path, payments] = [join(folder, 'state.db'), join(folder, 'payments.txt')]
  let children: ChildProcess[]
  let urls: string[]

  const launch = async (): Promise<string> => {
    const child = start('payment-child.ts', path, payments)
    children.push(child)
    return messageOf(child)
  }
  const made = (): string[] => readFileSync(payments, 'utf8').split('\n').slice(0, -1)
  const pay = (process: number, key: string, amount: number): Promise<Response> =>
    fetch(`${urls[process]}/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `"${key}"` },
      body: JSON.stringify({ amount }),
    })

  beforeEach(async () => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
    writeFileSync(payments, '')
    children = []
    urls = await Promise.all([launch(), launch()])
  })
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
  })

  it('replays the response of the other process, also after a kill', async () => {
    const first = await pay(0, 'key-1', 5)
    assert.equal(first.status, 200)
    const body = await first.text()
    children[0]?.kill('SIGKILL')
    assert.equal(await (await pay(1, 'key-1', 5)).text(), body)
    urls[0] = await launch()
    assert.equal(await (await pay(0, 'key-1', 5)).text(), body)
    assert.deepEqual(made(), ['5'])
  })

  it('rejects a key whose process was killed until its lease expires', async () => {
    const interrupted = pay(0, 'key-2', 13).catch((error: unknown) => error)
    while (made().length === 0) await sleep(10)
    children[0]?.kill('SIGKILL')
    assert.ok((await interrupted) instanceof Error)
    const rejected = await pay(1, 'key-2', 13)
    assert.equal(rejected.status, 409)
    assert.deepEqual(made(), ['13'])
    const database = new Database(path)
    database.exec('update verbena_idempotency_claims set expires_at = 0')
    database.close()
    void pay(1, 'key-2', 13).catch(() => {})
    while (made().length < 2) await sleep(10)
    assert.deepEqual(made(), ['13', '13'])
  })

  it('counts requests across processes', async () => {
    const statuses: number[] = []
    for (let number = 0; number < 12; number++) statuses.push((await pay(number % 2, `key-${number}`, 1)).status)
    assert.deepEqual(statuses.toSorted(), [...Array.from({ length: 10 }, () => 200), 429, 429])
  })
})

describe('sqliteIdempotency() with better-sqlite3', () => {
  it('reads numbers as BigInt if the connection returns them so', async () => {
    const database = new Database(':memory:').defaultSafeIntegers()
    const store = sqliteIdempotency(database, { create: true })
    const claim = { key: 'a', client: 'c', owner: 'o', request: 'r', lease: 60_000 }
    assert.equal((await store.claim(claim)).state, 'claimed')
    assert.equal(await store.complete(claim, 'answer', 60_000), true)
    assert.deepEqual(await store.claim(claim), { state: 'completed', response: 'answer' })
    database.close()
  })
})
