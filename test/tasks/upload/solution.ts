import { createApp, HttpError, Route, type Input, type Result } from 'verbena'
import { multipart } from 'verbena/multipart'
import * as z from 'zod'

const PNG = '89504e470d0a1a0a'

class Pictures extends Route {
  static readonly post = this.contract({
    body: multipart(z.object({ title: z.string().min(1) }), {
      files: { picture: { types: ['image/png'], limit: 1_000_000 } },
    }),
    returns: z.object({ title: z.string(), bytes: z.int() }),
    status: 201,
    errors: [415],
  })
  async post({ body: { fields, files } }: Input<typeof Pictures.post>): Result<typeof Pictures.post> {
    const start = Buffer.from(await files.picture.slice(0, 8).arrayBuffer()).toString('hex')
    if (start !== PNG) throw new HttpError(415, 'Send a PNG')
    return { title: fields.title, bytes: files.picture.size }
  }
}

export const app = createApp({ routes: { Pictures } })
