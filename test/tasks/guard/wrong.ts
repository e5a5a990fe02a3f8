/** The method checks the role, after the body has been read and validated. */
import { bearer, createApp, HttpError, Route, type Input, type Result } from 'verbena'
import * as z from 'zod'

const NewNote = z.object({ text: z.string().min(1) })

const users = new Map([
  ['a1b2', { name: 'ada', isEditor: true }],
  ['c3d4', { name: 'ben', isEditor: false }],
])
const user = bearer((token) => users.get(token))

class Notes extends Route {
  static readonly post = this.contract({
    uses: { user },
    body: NewNote,
    returns: NewNote.extend({ author: z.string() }),
    status: 201,
    errors: [403],
  })
  async post({ body, user }: Input<typeof Notes.post>): Result<typeof Notes.post> {
    if (!user.isEditor) throw new HttpError(403, 'Only editors may add notes')
    return { ...body, author: user.name }
  }
}

export const app = createApp({ routes: { Notes } })
