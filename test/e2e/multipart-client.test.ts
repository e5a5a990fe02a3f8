import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route, stream, type Input, type Result } from 'verbena'
import { createClient } from 'verbena/client'
import { multipart, parts } from 'verbena/multipart'
import { testApp } from 'verbena/testing'
import * as z from 'zod'

const Shown = z.object({ title: z.string(), at: z.string(), tags: z.array(z.string()), files: z.array(z.string()) })

class Avatars extends Route {
  static readonly path = '/users/{id}/avatar'
  static readonly put = this.contract({
    body: multipart(z.object({ title: z.string(), at: z.string(), tags: z.array(z.string()) }), {
      files: { image: {}, pages: { count: 2 }, sound: { optional: true } },
    }),
    returns: Shown,
  })
  async put({ body: { fields, files } }: Input<typeof Avatars.put>): Result<typeof Avatars.put> {
    const all = [files.image, files.sound, ...files.pages].flatMap((file) => file ?? [])
    return {
      ...fields,
      files: await Promise.all(all.map(async (file) => `${file.name} ${file.type} ${await file.text()}`)),
    }
  }

  static readonly post = this.contract({ body: parts(), returns: stream() })
  async *post({ body }: Input<typeof Avatars.post>) {
    for await (const part of body) yield `${part.name}: ${await part.text()}. `
  }
}

class Loose extends Route {
  static readonly post = this.contract({ body: multipart({ files: { image: { optional: true } } }) })
  async post({ body }: Input<typeof Loose.post>) {
    return { fields: body.fields, image: body.files.image?.size ?? null }
  }
}

const headers = { 'content-type': 'multipart/form-data' } as const
const image = new File(['a picture'], 'a.png', { type: 'image/png' })

describe('typed client: multipart forms', () => {
  const app = createApp({ routes: { Avatars, Loose }, logger: false, signals: false })

  it('sends fields and files by name, over a socket and in memory', async () => {
    const fields = { title: 'Ada', at: '2026', tags: ['x', 'y'] }
    const body = { fields, files: { image, pages: [new Blob(['1']), new File(['2'], 'b')] } }
    const expected = {
      ...fields,
      files: ['a.png image/png a picture', 'blob application/octet-stream 1', 'b application/octet-stream 2'],
    }
    await using test = await testApp(app)
    const { url } = await app.listen()
    for (const api of [test.api, createClient<typeof app>(url)]) {
      const answer = await api('/users/{id}/avatar').put({ params: { id: 7 }, body, headers })
      assert.deepEqual([answer.status, answer.body], [200, expected])
      const loose = await api('/loose').post({ body: {}, headers })
      assert.deepEqual(loose.body, { fields: {}, image: null })
      const without = await api('/loose').post({ body: { files: { image: undefined } }, headers })
      assert.deepEqual(without.body, { fields: {}, image: null })
      const form = new FormData()
      form.append('title', 'Ada')
      const refused = await api('/users/{id}/avatar').put({ params: { id: 7 }, body: form })
      assert.equal(refused.status, 422)
      const streamed = await api('/users/{id}/avatar').post({ params: { id: 7 }, body: form, as: 'stream' })
      assert.ok(streamed.ok)
      let text = ''
      for await (const chunk of streamed.body) text += Buffer.from(chunk).toString()
      assert.equal(text, 'title: Ada. ')
    }
    await app.close()
  })
})
