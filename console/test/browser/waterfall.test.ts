/** Service calls of a request: arguments, results, errors, call sites, and the slowest one. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { createApp, observeCall, observed, provide, Route, type Input } from 'verbena'
import { openConsole } from '../support/browser.js'
import { eventually, readRows } from '../support/page.js'
import { ask } from '../support/shop.js'
import { onCleanup } from '#test/cleanup.js'

const SLOW_MS = 150
const SLOW_TEXT = 'select id, total from payments order by total'

/** An amount that only code of this class can read. */
class Payment {
  readonly #sum: number

  constructor(sum: number) {
    this.#sum = sum
  }

  static isPayment(value: object): boolean {
    return #sum in value
  }

  get sum(): number {
    return this.#sum
  }
}

class Till {
  readonly #last = new Payment(7)
  readonly #all = new WeakMap([[this.#last, 'first']])

  pay(sum: number): never {
    throw new RangeError(`Cannot pay ${sum}: the till has 40`)
  }

  async report(): Promise<{ id: number }[]> {
    const run = () => wait(SLOW_MS + 50, [{ id: 1 }, { id: 2 }])
    return observeCall({ kind: 'sql', text: SLOW_TEXT, target: 'till' }, run, (rows) => ({ rows: rows.length }))
  }

  last(): Payment {
    return this.#last
  }

  isKnown(payment: Payment): boolean {
    return this.#all.has(payment)
  }
}

class Transaction {
  insert(table: string, count: number): string {
    return `${count} into ${table}`
  }
}

const transaction = provide({}, () => observed('tx', new Transaction()))

abstract class TillRoute extends Route<{ till: Till }> {}

class Payments extends TillRoute {
  get() {
    return this.till.pay(100)
  }

  static readonly post = this.contract({ uses: { transaction } })
  post({ transaction }: Input<typeof Payments.post>) {
    return transaction.insert('payments', 3)
  }
}

class Reports extends TillRoute {
  get() {
    return this.till.report()
  }
}

class Waits extends TillRoute {
  async get() {
    this.till.last()
    // Long enough that a busy machine does not give the call a share.
    await wait(3_000)
    return 'late'
  }
}

/** Results of services are the same objects as without a console. */
class Results extends TillRoute {
  get() {
    const payment = this.till.last()
    return {
      same: payment === this.till.last(),
      known: this.till.isKnown(payment),
      private: Payment.isPayment(payment),
      sum: payment.sum,
      cloned: structuredClone({ payment }) !== null,
    }
  }
}

async function openTill(t: TestContext): Promise<{ page: Page; url: string }> {
  const app = createApp({
    services: { till: new Till() },
    routes: { Payments, Reports, Waits, Results },
    logger: false,
    signals: false,
    devConsole: { slow: SLOW_MS },
  })
  const { url } = await app.listen()
  onCleanup(t, () => app.close())
  const { page } = await openConsole(t, { app: { url } })
  return { page, url }
}

async function openRow(page: Page): Promise<void> {
  await readRows(page).first().click()
  await page.locator('#panel .wf').waitFor()
}

describe('console page: service calls', () => {
  it('shows arguments, error and call site of a failed call', async (t) => {
    const { page, url } = await openTill(t)
    await ask({ url }, ['/payments'])
    await openRow(page)
    await page.getByRole('button', { name: 'till.pay' }).click()
    const details = await page.locator('.wd').innerText()
    assert.match(details, /till\.pay\(100\)/)
    assert.match(details, /Error\s+.*Cannot pay 100: the till has 40/)
    assert.match(details, /Called from\s+console\/test\/browser\/waterfall\.test\.ts:\d+/)
  })

  it('shows calls on the value of a provider that is observed', async (t) => {
    const { page, url } = await openTill(t)
    await (await fetch(`${url}/payments`, { method: 'POST' })).arrayBuffer()
    await openRow(page)
    await page.getByRole('button', { name: 'tx.insert' }).click()
    const details = await page.locator('.wd').innerText()
    assert.match(details, /tx\.insert\("payments", 3\)/)
    assert.match(details, /Result\s+string/)
  })

  it('returns results of services unchanged', async (t) => {
    const { page, url } = await openTill(t)
    const result: unknown = await (await fetch(`${url}/results`)).json()
    assert.deepEqual(result, { same: true, known: true, private: true, sum: 7, cloned: true })
    await openRow(page)
    await page.getByRole('button', { name: 'till.last ×2' }).waitFor()
  })
})

describe('console page: slow request', () => {
  it('names the slowest query with its share, its text and its call site', async (t) => {
    const { page, url } = await openTill(t)
    await ask({ url }, ['/reports'])
    await openRow(page)
    const text = (await page.locator('.call.warn').innerText()).replaceAll(/\s+/g, ' ')
    assert.match(text, /^Slower than 150 ms/)
    assert.match(
      text,
      /(?:[5-9]\d|100)% in till\.report: select id, total from payments order by total, from console\/test\/browser/,
    )
    await page.getByRole('link', { name: /^Problems/ }).click()
    await page
      .getByText(/(?:[5-9]\d|100)% of the last request was spent in till\.report: select id, total from payments/)
      .waitFor()
  })

  it('does not blame a call with a share of 0 %', async (t) => {
    const { page, url } = await openTill(t)
    await ask({ url }, ['/waits'])
    await openRow(page)
    await eventually(async () => assert.doesNotMatch(await page.locator('.call.warn').innerText(), /till\.last|\b0 ?%/))
    await page.getByRole('link', { name: /^Problems/ }).click()
    const problem = page.locator('.pb', { hasText: 'Slow endpoint' })
    await eventually(async () => assert.match(await problem.innerText(), /against a limit of 150 ms\.\n/))
    await eventually(async () => assert.doesNotMatch(await problem.innerText(), /of the last request/))
  })
})
