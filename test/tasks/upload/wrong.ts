/** The method checks the size, when the whole file is in memory. */
import { createApp, HttpError, Route, type Input, type Result } from 'verbena'
import { multipart } from 'verbena/multipart'
import * as z from 'zod'

const PNG = '89504e470d0a1a0a'

class Pictures extends Route {
  static readonly post = this.contract({
    body: multipart(z.object({ title: z.string().min(1) }), { files: { picture: {} } }),
    returns: z.object({ title: z.string(), bytes: z.int() }),
    status: 201,
    errors: [413, 415],
  })
  async post({ body: { fields, files } }: Input<typeof Pictures.post>): Result<typeof Pictures.post> {
    if (files.picture.size > 1_000_000) throw new HttpError(413, 'Send at most 1,000,000 bytes')
    const start = Buffer.from(await files.picture.slice(0, 8).arrayBuffer()).toString('hex')
    if (start !== PNG) throw new HttpError(415, 'Send a PNG')
    return { title: fields.title, bytes: files.picture.size }
  }
}

export const app = createApp({ routes: { Pictures }, limits: { body: 100_000_000 } })
