/** Entries that are made once, also if the process is killed at any step of the request. */
import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'

const CHILD = fileURLToPath(new URL('ledger-child.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'verbena-ledger-'))
const processes: LedgerProcess[] = []

after(() => {
  for (const { child } of processes) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** A process of the ledger that is started again when it has died. */
class LedgerProcess {
  child!: ChildProcess
  names: readonly string[] = []
  #url: Promise<string> = Promise.resolve('')
  #isStopped = false

  start(): Promise<string> {
    this.child = fork(CHILD, [folder], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, LEASE: '1000' },
    })
    this.child.once('exit', () => this.#isStopped || void this.start())
    this.#url = once(this.child, 'message').then(([{ url, names }]) => {
      this.names = names
      return url
    })
    return this.#url
  }

  stop(): void {
    this.#isStopped = true
    this.child.kill('SIGKILL')
  }

  async post(path: string, headers: Record<string, string>, amount: number): Promise<Response> {
    return fetch(`${await this.#url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
      body: JSON.stringify({ amount }),
    })
  }
}

/** Sends a request again, to the other process each time, until it has a response below 500 that is not 409. */
async function sendUntilDone(path: string, key: string, moment = ''): Promise<string> {
  for (let tries = 0; ; tries++) {
    const headers = { 'idempotency-key': `"${key}"`, ...(tries === 0 ? { 'x-kill': moment } : {}) }
    const response = await processes[tries % 2]?.post(path, headers, 5).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (response?.status === 201 && text !== undefined) return text
    assert.ok(tries < 300, `no response for ${key}`)
    await sleep(100)
  }
}

function count(table: string, where: string): number {
  const database = new Database(join(folder, 'ledger.db'), { readonly: true })
  const { n } = database.prepare<[], { n: number }>(`select count(*) as n from ${table} where ${where}`).get() ?? {
    n: 0,
  }
  database.close()
  return n
}

describe('entries of two processes', () => {
  before(async () => {
    processes.push(new LedgerProcess(), new LedgerProcess())
    for (const each of processes) await each.start()
  })

  it('makes one entry for each of 60 keys that four clients send at the same time', async () => {
    const keys = Array.from({ length: 60 }, (_, number) => `key ${number}`)
    const responses = await Promise.all(
      keys.map((key) => Promise.all([1, 2, 3, 4].map(() => sendUntilDone('/entries', key)))),
    )
    for (const same of responses) assert.equal(new Set(same).size, 1)
    assert.deepEqual([count('entries', "key like 'key %'"), count('verbena_idempotency_answers', 'true')], [60, 60])
  })

  it('makes one entry if a process is killed before or after any step, or around the commit', async () => {
    const names = processes[0]?.names ?? []
    assert.ok(names.includes('reply within') && names.includes('send'), names.join())
    const moments = [...names.flatMap((name) => [`before ${name}`, `after ${name}`]), 'before commit', 'after commit']
    const stored = count('verbena_idempotency_answers', 'true')
    for (const moment of moments) {
      const killed = processes[0]?.child
      const responses = await Promise.all([1, 2].map(() => sendUntilDone('/entries', moment, moment)))
      assert.equal(new Set(responses).size, 1, moment)
      assert.equal(count('entries', `key = '${moment}'`), 1, moment)
      if (killed?.signalCode === null) await once(killed, 'exit')
    }
    assert.equal(count('verbena_idempotency_answers', 'true'), stored + moments.length)
  })

  it('makes two entries after a kill between commit and response without "within"', async () => {
    await sendUntilDone('/usual-entries', 'usual', 'after commit')
    assert.equal(count('entries', "key = 'usual'"), 2)
  })

  after(() => {
    for (const each of processes) each.stop()
  })
})
