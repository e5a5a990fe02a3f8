import assert from 'node:assert/strict'
import { testApp } from 'verbena/testing'
import type { HiddenTests } from '../hidden-tests.js'

/** Returns the ids of a page, and the path of the next one. */
async function readPage(response: Response): Promise<{ ids: number[]; next: string | undefined }> {
  assert.equal(response.status, 200)
  const notes: { id: number }[] = Object(await response.json())
  const next = /<([^>]+)>; rel="?next"?/.exec(response.headers.get('link') ?? '')?.[1]
  return { ids: notes.map(({ id }) => id), next }
}

export const hidden: HiddenTests = {
  async 'links to the next page'({ app }) {
    await using test = await testApp(app)
    const pages = []
    for (let path: string | undefined = '/notes?limit=2'; path !== undefined;) {
      const { ids, next } = await readPage(await test.fetch(path))
      pages.push(ids)
      path = next
    }
    assert.deepEqual(pages, [[1, 2], [3, 4], [5]])
    assert.equal((await readPage(await test.fetch('/notes'))).next, undefined)
  },

  async 'rejects an invalid limit'({ app }) {
    await using test = await testApp(app)
    for (const limit of ['0', '101', 'many']) assert.equal((await test.fetch(`/notes?limit=${limit}`)).status, 422)
  },

  async 'shows each note while others are deleted'({ app }) {
    await using test = await testApp(app)
    const { next } = await readPage(await test.fetch('/notes?limit=2'))
    assert.equal((await test.fetch('/notes/1', { method: 'DELETE' })).status, 204)
    assert.equal((await test.fetch('/notes/1', { method: 'DELETE' })).status, 404)
    const { ids } = await readPage(await test.fetch(next ?? ''))
    assert.deepEqual(ids, [3, 4], `The page after 1 and 2 has ${ids.join(' and ')}, because 1 was deleted`)
  },
}
