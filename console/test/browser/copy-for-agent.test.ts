/** Copying a problem for a coding agent: the Markdown of `verbena last`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openConsole } from '../support/browser.js'
import { readRows, untilCount, untilSaid } from '../support/page.js'
import { ask, openShop } from '../support/shop.js'

describe('console page: a problem for an agent', () => {
  it('is copied as Markdown, and a request without a problem has no button', async (t) => {
    const shop = await openShop(t)
    await ask(shop, ['/goods', '/broken'])
    const context = { permissions: ['clipboard-read', 'clipboard-write'] }
    const { page } = await openConsole(t, { app: shop, context })
    await readRows(page).filter({ hasText: '/broken' }).click()
    await page.getByRole('button', { name: 'Copy for an agent' }).click()
    await untilSaid(page, /^Copied for an agent/)
    const text = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(text, /^# 500 {2}GET \/broken {2}[\d.]+ ms {2}r_\w+\n\nText in code blocks was recorded/)
    assert.match(text, /\n```text\n\w*Error: [^\n]+\n(?:Cause: [^\n]+\n)*(?: {2}at [^\n]+:\d+\n)?/)
    assert.match(text, /## Repeat\n\n```text\nnpx verbena replay r_\w+\n```$/)
    await readRows(page).filter({ hasText: '/goods' }).click()
    await page.getByRole('heading', { name: /GET\s*\/goods/ }).waitFor()
    await untilCount(page.getByRole('button', { name: 'Copy for an agent' }), 0)
  })
})
