/** Issues of requests whose error body the app has replaced. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, reply, type CommonOptions, type Middleware } from 'verbena'
import * as z from 'zod'
import { openConsole } from '#test/browser.js'
import { readRows, untilPaths } from '#test/browser-page.js'
import { openShop } from '#test/browser-shop.js'
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
