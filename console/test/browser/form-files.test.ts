/** A form with files in the form that tries an endpoint out: a field for each part, in both themes, and what arrives of it. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createApp, Route, type Input } from 'verbena'
import { multipart } from 'verbena/multipart'
import * as z from 'zod'
import { onCleanup } from '#test/cleanup.js'
import { openConsole } from '../support/browser.js'
import '#test/development.js'
import { eventually } from '../support/page.js'

class Avatars extends Route {
  static readonly put = this.contract({
    body: multipart(z.object({ title: z.string(), size: z.enum(['small', 'large']).default('small') }), {
      files: { image: { types: ['image/png'], limit: 2_000_000 }, pages: { count: 3, optional: true } },
    }),
  })
  async put({ body: { fields, files } }: Input<typeof Avatars.put>) {
    return { ...fields, image: `${files.image.name} ${await files.image.text()}`, pages: files.pages.length }
  }
}

async function opened(t: TestContext, theme: 'light' | 'dark' = 'light') {
  const app = createApp({ routes: { Avatars }, logger: false, signals: false, devConsole: true })
  const { url } = await app.listen()
  onCleanup(t, () => app.close())
  const { page } = await openConsole(t, { app: { url }, hash: '#/routes/Avatars.put', theme })
  return page
}

const png = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from('picture') })

describe('console page: form with files', () => {
  it('sends its fields and its files', async (t) => {
    const page = await opened(t)
    await page.getByLabel('title').fill('Ada')
    await page.getByLabel('image').setInputFiles(png('a"b.png'))
    await page.getByLabel('pages').setInputFiles([png('1.png'), png('2.png')])
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('group', { name: 'Answer' })
    await answer.getByText('200 OK').waitFor()
    await eventually(async () => assert.match(await answer.innerText(), /"Ada"[^]*"small"[^]*a\\"b\.png picture[^]*2/))
  })

  it('shows the accepted file types and requires required files', async (t) => {
    const page = await opened(t)
    const image = page.getByLabel('image')
    assert.deepEqual(
      [await image.getAttribute('accept'), await image.getAttribute('multiple'), await image.getAttribute('required')],
      ['image/png', null, ''],
    )
    await eventually(async () => assert.equal(await page.getByLabel('pages').getAttribute('multiple'), ''))
    await eventually(async () =>
      assert.match(await page.getByRole('region', { name: 'Endpoint' }).innerText(), /image\s*\*?\s*file, image\/png/),
    )
    await page.getByLabel('title').fill('Ada')
    await page.getByRole('button', { name: 'Send' }).click()
    assert.ok(await page.getByRole('group', { name: 'Answer' }).isHidden())
  })

  for (const theme of ['light', 'dark'] as const) {
    it(`stays within its column in the ${theme} theme`, async (t) => {
      const page = await opened(t, theme)
      await page.getByLabel('image').setInputFiles(png(`${'a-long-name-'.repeat(12)}.png`))
      const [field, column] = await Promise.all(
        [page.getByLabel('image'), page.locator('.try')].map((each) => each.boundingBox()),
      )
      assert.ok(field && column && field.x + field.width <= column.x + column.width, JSON.stringify([field, column]))
      const shots = process.env['SHOTS']
      if (shots !== undefined) await page.screenshot({ path: `${shots}/form-${theme}.png` })
    })
  }
})
