/** Issues of requests: received values, and requests whose error body the app has replaced. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { createApp, form, HttpError, json, reply, Route, type CommonOptions, type Middleware } from 'verbena'
import * as z from 'zod'
import { openConsole } from '../support/browser.js'
import { eventually, readRows, untilPaths } from '../support/page.js'
import { openShop } from '../support/shop.js'
import { onCleanup } from '#test/cleanup.js'
import { post } from '#test/console.js'

interface ErrorOptions extends CommonOptions {
  readonly errorFormat?: object
}

const errorFormat = {
  schema: z.object({ code: z.number() }),
  write: ({ status }: { status: number }) => ({ code: status }),
}
const hiding: Middleware = async (_context, next) => {
  const { error } = await next()
  return reply(200, error === undefined ? 'fine' : 'not fine')
}
const throwing: Middleware = async (_context, next) => {
  const { error } = await next()
  throw new HttpError(409, error === undefined ? 'None' : 'Try again')
}

const ROWS: readonly (readonly [about: string, options: ErrorOptions, status: number])[] = [
  ['the error format of the app', { errorFormat }, 422],
  ['middleware that responds with a success', { middleware: [hiding] }, 200],
  ['middleware that throws another error', { middleware: [throwing] }, 409],
]

describe('console page: invalid request with a replaced error body', () => {
  for (const [about, options, status] of ROWS) {
    it(`counts as invalid and shows its issues, with ${about}`, async (t) => {
      const shop = await openShop(t, options)
      const response = await fetch(`${shop.url}/goods`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":"x","price":-1}',
      })
      assert.equal(response.status, status)
      assert.doesNotMatch(await response.text(), /body\.name/)
      await post(`${shop.url}/goods/7`, {})
      const { page } = await openConsole(t, { app: shop })
      const quick = page.getByRole('group', { name: 'Quick filters' }).getByRole('button', { name: 'Invalid' })
      assert.match(await quick.innerText(), /Invalid\s*1$/)
      await quick.click()
      await untilPaths(page, ['/goods'])
      await readRows(page).first().getByText('2 invalid').waitFor()
      await readRows(page).first().click()
      await page.getByRole('tab', { name: 'Validation 2' }).click()
      await page.getByRole('row', { name: /body\.name/ }).waitFor()
      await page.getByRole('row', { name: /body\.price.*-1/ }).waitFor()
    })
  }
})

/** Requires a property of an object that is optional, as checks over several properties do. */
const Trip = z.object({ to: z.object({ city: z.string() }).optional() }).check(({ value, issues }) => {
  if (value.to?.city === undefined)
    issues.push({ code: 'custom', path: ['to', 'city'], message: 'Required', input: value })
})

class Trips extends Route {
  static readonly post = this.contract({
    cookies: z.object({ theme: z.enum(['light', 'dark']), seat: z.string() }),
    body: form(z.object({ name: z.string(), age: z.int().min(18) })),
  })
  post() {
    return 'booked'
  }

  static readonly put = this.contract({ body: json(Trip) })
  put() {
    return 'moved'
  }
}

async function startTrips(t: TestContext): Promise<string> {
  const app = createApp({ routes: { Trips }, logger: false, signals: false, devConsole: true })
  const { url } = await app.listen()
  onCleanup(t, () => app.close())
  return url
}

async function sendForm(url: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const options = { method: 'POST', headers: { cookie: 'theme=blue' }, body: new URLSearchParams(fields) }
  await (await fetch(`${url}/trips`, options)).arrayBuffer()
}

async function readReceived(page: Page, where: string): Promise<string> {
  const row = page.getByRole('row', { name: new RegExp(`^${where} `) })
  return (await row.locator('td').last().innerText()).trim()
}

describe('console page: received values', () => {
  it('shows sent values of a form, and the cookies and values that were not sent as missing', async (t) => {
    const url = await startTrips(t)
    await sendForm(url, { age: '7' })
    const headers = { 'content-type': 'application/json' }
    await (await fetch(`${url}/trips`, { method: 'PUT', headers, body: '{}' })).arrayBuffer()
    const { page } = await openConsole(t, { app: { url } })
    for (const [method, rows] of [
      ['POST', { 'body.name': 'missing', 'body.age': '"7"', 'cookies.theme': 'not kept', 'cookies.seat': 'missing' }],
      ['PUT', { 'body.to.city': 'missing' }],
    ] as const) {
      await readRows(page).filter({ hasText: method }).click()
      await page.getByRole('tab', { name: /^Validation/ }).click()
      for (const [where, value] of Object.entries(rows)) {
        await eventually(async () => assert.equal(await readReceived(page, where), value, where))
      }
    }
  })

  it('does not call a field missing that can be in the part of a long form that is not stored', async (t) => {
    const url = await startTrips(t)
    await sendForm(url, { note: 'long '.repeat(5_000), name: 'Ada', age: '7' })
    const { page } = await openConsole(t, { app: { url } })
    await readRows(page).first().click()
    await page.getByRole('tab', { name: /^Validation/ }).click()
    await eventually(async () => assert.equal(await readReceived(page, 'body.age'), 'not kept'))
  })
})
