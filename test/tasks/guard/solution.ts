import { bearer, createApp, HttpError, provide, Route, type Input, type Result } from 'verbena'
import * as z from 'zod'

const NewNote = z.object({ text: z.string().min(1) })

const users = new Map([
  ['a1b2', { name: 'ada', isEditor: true }],
  ['c3d4', { name: 'ben', isEditor: false }],
])
const user = bearer((token) => users.get(token))
const editor = provide({ uses: { user }, errors: [403] }, ({ user }) => {
  if (!user.isEditor) throw new HttpError(403, 'Only editors may add notes')
  return user
})

class Notes extends Route {
  static readonly post = this.contract({
    uses: { editor },
    body: NewNote,
    returns: NewNote.extend({ author: z.string() }),
    status: 201,
  })
  async post({ body, editor }: Input<typeof Notes.post>): Result<typeof Notes.post> {
    return { ...body, author: editor.name }
  }
}

export const app = createApp({ routes: { Notes } })
