/** Requests that need credentials, sent from the page: replays, edited requests and the form of an endpoint. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openConsole } from '../support/browser.js'
import { openClub, type Club } from '../support/club.js'
import { eventually, readPaths, readRows, untilCount, untilPaths, untilSaid } from '../support/page.js'
import { openShop } from '../support/shop.js'

interface Opened {
  readonly club: Club
  readonly page: Page
}

async function openAt(t: TestContext, hash = '', before?: (club: Club) => Promise<unknown>): Promise<Opened> {
  const club = await openClub(t)
  await before?.(club)
  const { page } = await openConsole(t, { app: club, hash })
  return { club, page }
}

function get(path: string, headers: Record<string, string>) {
  return async ({ url }: Club) => (await fetch(`${url}${path}`, { headers })).arrayBuffer()
}

async function send(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const answer = page.getByRole('group', { name: 'Answer' })
  await answer.getByRole('link', { name: 'Open in Requests' }).waitFor()
  return answer
}

describe('console page: credentials of a replay', () => {
  it('asks once for the credentials that were not stored, and uses them for replays and in forms', async (t) => {
    const { club, page } = await openAt(t, '', get('/members', { authorization: 'Bearer b-1', cookie: 'club=c-1' }))
    await readRows(page).first().click()
    const replay = page.getByRole('button', { name: 'Replay' })
    await replay.click()
    const dialog = page.getByRole('dialog')
    await eventually(async () => assert.match(await dialog.innerText(), /Authorization and Cookie were not stored/i))
    await dialog.getByLabel('Authorization').fill('b-1')
    await dialog.getByLabel('Cookie').fill('club=c-1')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await untilSaid(page, /^Replayed: 200/)
    await replay.click()
    await untilPaths(page, ['/members', '/members', '/members'])
    await untilCount(page.getByRole('dialog'), 0)
    await page.reload()
    await page.goto(`${club.url}/__dev__#/routes/Members.get`)
    await eventually(async () => assert.match(await (await send(page)).innerText(), /200 OK[^]*ada/))
    await page.goto(`${club.url}/__dev__#/routes/ByCookie.get`)
    await eventually(async () => assert.match(await (await send(page)).innerText(), /200 OK[^]*ada/))
    assert.equal(await page.evaluate(() => document.cookie), '')
  })

  it('sends a replay without credentials on request, and does not ask again', async (t) => {
    const { page } = await openAt(t, '', get('/members', { authorization: 'Bearer b-1' }))
    await readRows(page).first().click()
    await page.keyboard.press('r')
    await page.getByRole('dialog').getByRole('button', { name: 'Send without' }).click()
    await untilSaid(page, /^Replayed: 401/)
    await page.keyboard.press('r')
    await untilPaths(page, ['/members', '/members', '/members'])
  })

  it('asks again for credentials that the app rejected', async (t) => {
    const { page } = await openAt(t, '', get('/members', { authorization: 'Bearer b-1' }))
    await readRows(page).first().click()
    const field = page.getByRole('dialog').getByLabel('Authorization')
    await page.keyboard.press('r')
    await field.fill('b-2')
    await page.keyboard.press('Enter')
    await untilSaid(page, /^Replayed: 401 .*\. Replay again to enter other credentials/)
    await page.keyboard.press('r')
    await eventually(async () => assert.equal(await field.inputValue(), ''))
    await field.fill('b-1')
    await page.keyboard.press('Enter')
    await untilSaid(page, /^Replayed: 200/)
    await page.keyboard.press('r')
    await untilPaths(page, ['/members', '/members', '/members', '/members'])
    await untilCount(page.getByRole('dialog'), 0)
  })

  it('asks for keys in other headers and in the query', async (t) => {
    const { page } = await openAt(t, '', async (club) => {
      await get('/by-header', { 'x-club-key': 'h-1' })(club)
      await get('/by-query?club_key=q-1&page=2', {})(club)
    })
    for (const [path, label, value] of [
      ['/by-header', 'X-Club-Key', 'h-1'],
      ['/by-query', 'club_key', 'q-1'],
    ] as const) {
      await readRows(page).filter({ hasText: path }).last().click()
      await page.keyboard.press('r')
      await page.getByRole('dialog').getByLabel(label).fill(value)
      await page.keyboard.press('Enter')
      await untilSaid(page, /^Replayed: 200/)
      await eventually(async () => await untilCount(readRows(page).filter({ hasText: path }), 2))
    }
    assert.equal((await readPaths(page))[0], '/by-query?club_key=redacted&page=2')
  })

  it('uses the credentials of the tab when a request is edited', async (t) => {
    const { page } = await openAt(t, '', async ({ url }) => {
      const headers = { authorization: 'Bearer b-1', 'content-type': 'application/json' }
      await (await fetch(`${url}/members`, { method: 'POST', headers, body: '{"name":"Ada"}' })).arrayBuffer()
    })
    await readRows(page).first().click()
    await page.keyboard.press('e')
    await page.getByLabel('Bearer token').fill('b-1')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await page.getByText('201 Created').waitFor()
    await page.getByRole('link', { name: 'Open in Requests' }).click()
    await page.keyboard.press('r')
    await untilSaid(page, /^Replayed: 201/)
  })
})

/** Counts the requests for which the browser would open a prompt for credentials. */
async function countPrompts(page: Page): Promise<() => number> {
  let prompts = 0
  const session = await page.context().newCDPSession(page)
  session.on('Fetch.requestPaused', ({ requestId }) => void session.send('Fetch.continueRequest', { requestId }))
  session.on('Fetch.authRequired', ({ requestId }) => {
    prompts++
    const authChallengeResponse = { response: 'CancelAuth' } as const
    void session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse })
  })
  await session.send('Fetch.enable', { handleAuthRequests: true })
  return () => prompts
}

describe('console page: the prompt of the browser for HTTP Basic', () => {
  it('stays closed for a form without credentials and a replay with wrong ones', async (t) => {
    const wrong = `Basic ${btoa('grace:wrong')}`
    const { club, page } = await openAt(t, '', get('/figures', { authorization: wrong }))
    const prompts = await countPrompts(page)
    await readRows(page).first().click()
    await page.keyboard.press('r')
    await page.getByRole('dialog').getByLabel('Authorization').fill(wrong)
    await page.keyboard.press('Enter')
    await untilSaid(page, /^Replayed: 401/)
    await page.goto(`${club.url}/__dev__#/routes/Figures.get`)
    assert.match(await (await send(page)).innerText(), /401 Unauthorized/)
    assert.equal(prompts(), 0)
    await page.evaluate(async () => (await fetch('/figures')).status)
    assert.equal(prompts(), 1)
  })
})

describe('console page: security schemes in the form', () => {
  const ROWS: readonly (readonly [endpoint: string, typed: readonly (readonly [string, string])[]])[] = [
    ['Members.get', [['Bearer token', 'b-1']]],
    [
      'Figures.get',
      [
        ['User', 'grace'],
        ['Password', 'correct horse'],
      ],
    ],
    ['ByHeader.get', [['X-Club-Key', 'h-1']]],
    ['ByQuery.get', [['club_key', 'q-1']]],
    ['ByCookie.get', [['club', 'c-1']]],
  ]
  for (const [endpoint, typed] of ROWS) {
    it(`sends the credentials of ${endpoint}`, async (t) => {
      const { page } = await openAt(t, `#/routes/${endpoint}`)
      assert.match(await (await send(page)).innerText(), /401 Unauthorized/)
      for (const [label, value] of typed) await page.getByLabel(label, { exact: true }).fill(value)
      assert.match(await (await send(page)).innerText(), /200 OK/)
    })
  }

  it('sends the credentials of one of several schemes of the same header', async (t) => {
    const { club, page } = await openAt(t, '#/routes/Lounge.get')
    await page.getByLabel('User', { exact: true }).fill('grace')
    await page.getByLabel('Password', { exact: true }).fill('correct horse')
    assert.match(await (await send(page)).innerText(), /200 OK/)
    await page.goto(`${club.url}/__dev__#/routes/Members.get`)
    const bearer = page.getByLabel('Bearer token', { exact: true })
    await eventually(async () => assert.equal(await bearer.inputValue(), ''))
    await page.goto(`${club.url}/__dev__#/routes/Lounge.get`)
    await bearer.fill('b-1')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /200 OK/))
  })

  it('leads to the endpoint that signs in, and back', async (t) => {
    const { page } = await openAt(t, '#/routes/Me.get')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /401 Unauthorized/))
    await page.getByRole('link', { name: 'POST /session' }).last().click()
    await page.getByLabel('Body').fill('{"name":"ada","password":"hunter2"}')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /204 No Content/))
    await page.goBack()
    await eventually(async () => assert.match(await (await send(page)).innerText(), /200 OK[^]*ada/))
  })
})

describe('console page: form', () => {
  it('sends typed headers and query parameters', async (t) => {
    const { page } = await openAt(t, '#/routes/Echo.get')
    await page.getByText('Headers and query').click()
    await page.getByLabel('Headers', { exact: true }).fill('x-one: 1\nX-Two:  two words ')
    await page.getByLabel('Query', { exact: true }).fill('?a=1&a=2&b=%20c')
    const text = await (await send(page)).innerText()
    assert.match(text, /"a": \[?[^]*"2"/)
    await eventually(async () =>
      assert.match(await page.getByRole('group', { name: 'Answer' }).innerText(), /"b": " c"/),
    )
  })

  it('reports the invalid line of the headers instead of sending the request', async (t) => {
    const { page } = await openAt(t, '#/routes/Echo.get')
    await page.getByText('Headers and query').click()
    await page.getByLabel('Headers', { exact: true }).fill('x-one 1')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('"x-one 1" is not a header').waitFor()
    await untilCount(readRows(page), 0)
  })

  it('cancels a request', async (t) => {
    const { page } = await openConsole(t, {
      app: await openClub(t),
      hash: '#/routes/Slow.get',
      allows: [/ERR_ABORTED/],
    })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Canceled.').waitFor()
    await untilCount(page.getByRole('button', { name: 'Cancel' }), 0)
    await page.getByRole('link', { name: /^Requests/ }).click()
    await readRows(page).filter({ hasText: 'aborted' }).waitFor()
  })

  it('shows the headers of the response, and pictures as pictures', async (t) => {
    const { page } = await openAt(t, '#/routes/Badges.get')
    const answer = await send(page)
    await answer
      .getByText(/headers/i)
      .first()
      .click()
    await eventually(async () => assert.match(await answer.innerText(), /x-badge\s+red/))
    const picture = answer.getByRole('img', { name: 'image/gif' })
    await picture.waitFor()
    assert.equal(await picture.evaluate((it) => Reflect.get(it, 'naturalWidth')), 1)
  })

  it('starts from the last successful call', async (t) => {
    const { page } = await openAt(t, '#/routes/Applications.post', async ({ url }) => {
      for (const body of ['{"kind":"company","seats":7}', '{"kind":"nobody"}']) {
        const headers = { 'content-type': 'application/json', 'x-mine': 'yes' }
        await (await fetch(`${url}/applications`, { method: 'POST', headers, body })).arrayBuffer()
      }
    })
    await page.getByRole('button', { name: 'Last good call' }).click()
    await eventually(async () =>
      assert.deepEqual(JSON.parse(await page.getByLabel('Body').inputValue()), { kind: 'company', seats: 7 }),
    )
    await eventually(async () =>
      assert.match(await page.getByLabel('Headers', { exact: true }).inputValue(), /x-mine: yes/),
    )
  })
})

describe('console page: requests without an endpoint', () => {
  it('replays and edits a 404 and a 405', async (t) => {
    const { page } = await openAt(t, '', async ({ url }) => {
      const options = { method: 'POST', headers: { 'x-mine': 'yes' } }
      await (await fetch(`${url}/memberz?a={b}`, options)).arrayBuffer()
      await (await fetch(`${url}/badges`, { method: 'DELETE' })).arrayBuffer()
    })
    await readRows(page).filter({ hasText: '/memberz' }).click()
    await page.keyboard.press('r')
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await untilSaid(page, /^Replayed: 404/)
    await page.keyboard.press('e')
    await page.getByRole('region', { name: 'Edit and resend' }).waitFor()
    await eventually(async () => assert.equal(await page.getByLabel('Target').inputValue(), '/memberz?a={b}'))
    await eventually(async () => assert.match(await page.getByLabel('Headers').inputValue(), /^x-mine: yes$/m))
    await page.getByLabel('Method').fill('GET')
    await page.getByLabel('Target').fill('/badges')
    await eventually(async () => assert.match(await (await send(page)).innerText(), /200 OK/))
    await readRows(page).filter({ hasText: 'DELETE' }).click()
    await page.keyboard.press('e')
    await eventually(async () => assert.equal(await page.getByLabel('Method').inputValue(), 'DELETE'))
    await page.reload()
    await eventually(async () => assert.equal(await page.getByLabel('Target').inputValue(), '/badges'))
  })

  it('replays and edits a 406', async (t) => {
    const shop = await openShop(t)
    const { page } = await openConsole(t, { app: shop, allows: [/406/] })
    await (await fetch(`${shop.url}/editions`, { headers: { 'accept-version': '1.0.0' } })).arrayBuffer()
    await readRows(page).first().click()
    await page.keyboard.press('r')
    await untilSaid(page, /^Replayed: 406/)
    await page.keyboard.press('e')
    await page.getByRole('region', { name: 'Edit and resend' }).waitFor()
    const headers = page.getByLabel('Headers')
    await eventually(async () => assert.match(await headers.inputValue(), /^accept-version: 1\.0\.0$/m))
    await headers.fill((await headers.inputValue()).replace('1.0.0', '2.0.0'))
    await eventually(async () => assert.match(await (await send(page)).innerText(), /200 OK/))
  })
})

describe('console page: prefilled body', () => {
  it('is accepted by its schema', async (t) => {
    for (const [app, endpoint] of [
      [await openClub(t), 'Applications.post'],
      [await openShop(t), 'Goods.post'],
    ] as const) {
      const { page } = await openConsole(t, { app, hash: `#/routes/${endpoint}` })
      assert.match(await (await send(page)).innerText(), /20[01] (?:OK|Created)/, endpoint)
    }
  })
})
