import assert from 'node:assert/strict'
import type { App } from 'verbena'
import { testApp } from 'verbena/testing'
import { postJson, type HiddenTests } from '../hidden-tests.js'

/** Accounts in memory. The balance of `old` is from a time with fractions of a cent. */
class Database {
  balances: ReadonlyMap<string, number> = new Map([
    ['ada', 500],
    ['ben', 200],
    ['old', 0.5],
  ])
  openCount = 0

  async begin() {
    const draft = new Map(this.balances)
    this.openCount++
    return {
      read: async (account: string) => draft.get(account),
      write: async (account: string, cents: number) => void draft.set(account, cents),
      rollback: async () => void this.openCount--,
      commit: async () => {
        this.balances = draft
        this.openCount--
      },
    }
  }
}

interface Module {
  createBank(db: Database): App
}

/** Sends a transfer. Returns the status, the body, and the balances after it. */
async function transfer({ createBank }: Module, from: string, to: string) {
  const db = new Database()
  await using test = await testApp(createBank(db), { strict: false })
  const response = await test.fetch('/transfers', postJson({ from, to, cents: 500 }))
  const body: unknown = await response.json()
  assert.equal(db.openCount, 0, 'A transaction is still open')
  return { status: response.status, body, balances: [...db.balances.values()].join(', ') }
}

export const hidden: HiddenTests<Module> = {
  async 'moves money'(module) {
    const { status, body, balances } = await transfer(module, 'ada', 'ben')
    assert.deepEqual([status, body, balances], [200, { from: 0, to: 700 }, '0, 700, 0.5'])
  },

  async 'rejects a transfer without changes'(module) {
    const cases = { 409: ['ben', 'ada'], 404: ['ada', 'eve'] }
    for (const [expected, [from = '', to = '']] of Object.entries(cases)) {
      const { status, balances } = await transfer(module, from, to)
      assert.deepEqual([String(status), balances], [expected, '500, 200, 0.5'])
    }
  },

  async 'changes nothing if the response fails'(module) {
    const { status, balances } = await transfer(module, 'ada', 'old')
    assert.equal(status, 500)
    assert.equal(balances, '500, 200, 0.5', `The response was a 500, but the balances are ${balances}`)
  },
}
