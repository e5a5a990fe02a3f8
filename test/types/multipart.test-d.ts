/** Forms with files: values for handlers, parameters of the client, and rejected options. */
import { createApp, Route, type Input } from 'verbena'
import { createClient } from 'verbena/client'
import { multipart, parts, type FieldTexts, type Part } from 'verbena/multipart'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import { sameType } from './same-type.js'

class Avatars extends Route {
  static readonly path = '/users/{id}/avatar'
  static readonly put = this.contract({
    body: multipart(z.object({ title: z.string(), year: z.int().default(2000) }), {
      files: {
        image: { types: ['image/png'], limit: 2_000_000 },
        sound: { optional: true },
        pages: { count: 3 },
        notes: { count: 2, optional: true },
      },
    }),
  })
  async put({ body }: Input<typeof Avatars.put>) {
    sameType<typeof body.fields, { title: string; year: number }>()
    sameType<typeof body.files.image, File>()
    sameType<typeof body.files.sound, File | undefined>()
    sameType<typeof body.files.pages, readonly File[]>()
    sameType<typeof body.files.notes, readonly File[]>()
    // @ts-expect-error - no such file
    void body.files.other
    return { size: body.files.image.size }
  }
}

class Others extends Route {
  static readonly get = this.contract({ body: multipart(type({ name: 'string' })) })
  async get({ body }: Input<typeof Others.get>) {
    sameType<typeof body.fields, { name: string }>()
    sameType<keyof typeof body.files, never>()
  }
  static readonly post = this.contract({ body: multipart({ files: { image: {} } }) })
  async post({ body }: Input<typeof Others.post>) {
    sameType<typeof body.fields, FieldTexts>()
    sameType<typeof body.files.image, File>()
  }
  static readonly put = this.contract({ body: parts({ limit: 10 }), returns: v.number() })
  async put({ body }: Input<typeof Others.put>) {
    sameType<typeof body, AsyncIterable<Part>>()
    let count = 0
    for await (const part of body) if (part.filename === undefined) count += (await part.text()).length
    return count
  }
  static readonly patch = this.contract({ body: multipart({ files: { image: { optional: true } } }) })
  async patch({ body }: Input<typeof Others.patch>) {
    return body.files.image?.name ?? ''
  }
}

// @ts-expect-error - an unknown option
multipart({ files: {}, most: 3 })
// @ts-expect-error - a limit is a number
multipart(z.object({}), { files: { image: { limit: '2mb' } } })
// @ts-expect-error - its count is the number of parts, which the app says
parts({ count: 3 })

const app = createApp({ routes: { Avatars, Others } })
const api = createClient<typeof app>('http://localhost')
const image = new File(['a'], 'a.png')
const headers = { 'content-type': 'multipart/form-data' } as const

export async function calls() {
  const files = { image, pages: [image] }
  const answer = await api('/users/{id}/avatar').put({
    params: { id: 7 },
    body: { fields: { title: 'a' }, files },
    headers,
  })
  if (answer.ok) sameType<typeof answer.body, { size: number }>()
  await api('/users/{id}/avatar').put({ params: { id: 7 }, body: new FormData() })
  const withoutPages = { fields: { title: 'a' }, files: { image } }
  // @ts-expect-error - a file is missing
  await api('/users/{id}/avatar').put({ params: { id: 7 }, body: withoutPages, headers })
  // @ts-expect-error - the title is missing
  await api('/users/{id}/avatar').put({ params: { id: 7 }, body: { fields: {}, files }, headers })
  // @ts-expect-error - the media type tells the form from JSON
  await api('/users/{id}/avatar').put({ params: { id: 7 }, body: { fields: { title: 'a' }, files } })
  await api('/others').post({ body: { files: { image: new Blob([]) } }, headers })
  await api('/others').post({ body: { fields: { any: ['a', 'b'] }, files: { image } }, headers })
  await api('/others').patch({ body: {}, headers })
  await api('/others').put({ body: new FormData() })
  // @ts-expect-error - a form of the platform
  await api('/others').put({ body: { fields: {} } })
}
