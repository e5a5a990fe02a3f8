import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from 'verbena'
import { testApp } from 'verbena/testing'
import { postJson, type HiddenTests } from '../hidden-tests.js'

interface Module {
  createPayments(charge: (user: string, cents: number) => Promise<number>): App
}

/** Creates the app with a bank that needs some time, and a function that sends a payment. */
async function open({ createPayments }: Module) {
  const charges: string[] = []
  const test = await testApp(
    createPayments(async (user, cents) => {
      await sleep(20)
      return charges.push(`${cents} of ${user}`)
    }),
  )
  const pay = async (token: string, key: string): Promise<[status: number, body: unknown]> => {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key }
    const response = await test.fetch('/payments', postJson({ cents: 500 }, headers))
    return [response.status, await response.json()]
  }
  return { charges, pay, close: test.close }
}

export const hidden: HiddenTests<Module> = {
  async 'returns the receipt again'(module) {
    const { charges, pay, close } = await open(module)
    assert.deepEqual(await pay('a1b2', 'first'), [201, { receipt: 1 }])
    assert.deepEqual(await pay('a1b2', 'first'), [201, { receipt: 1 }])
    assert.deepEqual(await pay('a1b2', 'second'), [201, { receipt: 2 }])
    assert.deepEqual(charges, ['500 of ada', '500 of ada'])
    await close()
  },

  async 'keeps users apart'(module) {
    const { charges, pay, close } = await open(module)
    await pay('a1b2', 'first')
    assert.deepEqual(await pay('c3d4', 'first'), [201, { receipt: 2 }])
    assert.equal((await pay('none', 'first'))[0], 401)
    assert.deepEqual(charges, ['500 of ada', '500 of ben'])
    await close()
  },

  async 'charges once if the client retries early'(module) {
    const { charges, pay, close } = await open(module)
    const replies = await Promise.all([pay('a1b2', 'first'), pay('a1b2', 'first')])
    assert.equal(charges.length, 1, `A retry during the first attempt led to ${charges.length} charges`)
    assert.deepEqual(replies.map(([status]) => status).toSorted(), [201, 409])
    await close()
  },
}
