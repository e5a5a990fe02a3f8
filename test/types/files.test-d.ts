/** `file()`: return types of a method, and types in the client. */
import { bytes, createApp, reply, Route, stream, text, type Result } from 'verbena'
import { createClient, type Failure, type HeadedSuccess, type Success } from 'verbena/client'
import { file, sendFile } from 'verbena/files'
import * as z from 'zod'
import { sameType } from './same-type.js'

const Wait = z.object({ seconds: z.number() })

export class Plain extends Route {
  static readonly get = this.contract({ returns: file({ types: ['application/pdf'] }) })
  async get(): Result<typeof Plain.get> {
    return sendFile('a.pdf')
  }
}
export class Summed extends Route {
  static readonly path = '/summed/{name}'
  static readonly get = this.contract({ returns: file({ headers: z.object({ 'x-sum': z.string() }) }) })
  get() {
    return sendFile('a.pdf').with({ 'x-sum': 'abc' })
  }
}
export class Later extends Route {
  static readonly get = this.contract({ returns: { 200: file(), 202: Wait } })
  async get(): Result<typeof Later.get> {
    return Math.random() > 0.5 ? sendFile('a.pdf') : reply(202, { seconds: 5 })
  }
}
export class Streamed extends Route {
  static readonly get = this.contract({ returns: stream({ types: ['application/pdf'] }) })
  async get(): Result<typeof Streamed.get> {
    return sendFile('a.pdf')
  }
  static readonly post = this.contract({ returns: bytes({ types: ['image/png'] }) })
  async post(): Result<typeof Streamed.post> {
    return new Uint8Array()
  }
  static readonly put = this.contract({
    returns: text({ types: ['text/csv'], headers: z.object({ etag: z.string() }) }),
  })
  put() {
    return 'a'
  }
}
const app = createApp({ routes: { Plain, Summed, Later, Streamed } })
const api = createClient<typeof app>('http://localhost')
type Chunks = AsyncIterable<Uint8Array>

export async function answers() {
  const whole = await api('/plain').get({ as: 'stream' })
  sameType<typeof whole, Failure | Success<200, Chunks>>()
  const part = await api('/plain').get({ as: 'stream', headers: { range: 'bytes=0-9', other: 'a' } })
  sameType<Extract<typeof part, { ok: true }>['status'], 200 | 206>()
  if (part.ok) sameType<typeof part.body, Chunks>()

  const params = { name: 'a' }
  const summed = await api('/summed/{name}').get({ params, as: 'stream' })
  sameType<typeof summed, Failure | HeadedSuccess<200, Chunks, { readonly 'x-sum': string }>>()
  const range = await api('/summed/{name}').get({ params, as: 'stream', headers: { range: 'bytes=0-9' } })
  if (range.ok) sameType<ReturnType<typeof range.headers.get<'x-sum'>>, string>()

  const later = await api('/later').get({ as: 'stream' })
  sameType<typeof later, Failure | Success<200, Chunks> | Success<202, { seconds: number }>>()
  const laterPart = await api('/later').get({ as: 'stream', headers: { range: 'bytes=0-9' } })
  sameType<Extract<typeof laterPart, { ok: true }>['status'], 200 | 202 | 206>()

  const streamed = await api('/streamed').get({ as: 'stream', headers: { range: 'bytes=0-9' } })
  sameType<typeof streamed, Failure | Success<200, Chunks>>()
  const picture = await api('/streamed').post({ as: 'bytes' })
  sameType<typeof picture, Failure | Success<200, Uint8Array>>()
  // @ts-expect-error - a file is read as a stream
  await api('/plain').get()
}

async function* generated() {
  yield new Uint8Array()
}
export class Wrong extends Route {
  static readonly get = this.contract({ returns: file() })
  async get(): Result<typeof Wrong.get> {
    // @ts-expect-error - only what `sendFile` returns
    return generated()
  }
  // @ts-expect-error - a file is only a response
  static readonly post = this.contract({ body: file() })
  // @ts-expect-error - a file has no limit
  static readonly put = this.contract({ returns: file({ limit: 1 }) })
}
export class WrongReply extends Route {
  static readonly get = this.contract({ returns: file() })
  async get(): Result<typeof WrongReply.get> {
    // @ts-expect-error - only what `sendFile` returns
    return reply(200, generated())
  }
}
