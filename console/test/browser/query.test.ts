/** QUERY in the console: its form, its request in the list, and replays, which need no confirmation because it is safe. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createApp, Route, type Input } from 'verbena'
import * as z from 'zod'
import { onCleanup } from '#test/cleanup.js'
import { openConsole } from '../support/browser.js'
import '#test/development.js'
import { untilCount } from '../support/page.js'

class Contacts extends Route {
  static readonly query = this.contract({
    body: z.object({ surname: z.string(), limit: z.int().default(10) }),
    returns: z.array(z.object({ email: z.string() })),
  })
  async query({ body }: Input<typeof Contacts.query>) {
    return [{ email: `${body.surname}@example.org` }]
  }
}

async function openAt(t: TestContext, hash: string) {
  const app = createApp({ routes: { Contacts }, logger: false, signals: false, devConsole: true })
  const { url } = await app.listen()
  onCleanup(t, () => app.close())
  const { page } = await openConsole(t, { app: { url }, hash })
  return { page, url }
}

describe('console page: QUERY', () => {
  it('sends the body of the form', async (t) => {
    const { page } = await openAt(t, '#/routes/Contacts.query')
    await page.getByRole('heading', { name: 'QUERY /contacts' }).waitFor()
    await page.getByLabel('Body').fill('{ "surname": "smith" }')
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('group', { name: 'Answer' })
    await answer.getByText('smith@example.org').waitFor()
    await answer.getByRole('link', { name: 'Open in Requests' }).waitFor()
  })

  it('replays a request with its body, without asking first', async (t) => {
    const { page, url } = await openAt(t, '')
    const headers = { 'content-type': 'application/json' }
    await fetch(`${url}/contacts`, { method: 'QUERY', headers, body: '{"surname":"jones"}' })
    await page.getByText('QUERY', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Replay' }).click()
    const rows = page.getByText('QUERY', { exact: true })
    await untilCount(rows, 3)
    assert.equal(await page.getByRole('dialog').count(), 0)
  })
})
