/** A page starts at a number, which changes if a row before it is deleted. */
import { createApp, HttpError, Route, service, type Input, type Result } from 'verbena'
import * as z from 'zod'

const Note = z.object({ id: z.int(), text: z.string() })
type Note = z.output<typeof Note>
interface Services {
  readonly notes: Map<number, Note>
}

const Page = z.object({ offset: z.int().min(0).default(0), limit: z.int().min(1).max(100).default(20) })

class Notes extends Route<Services> {
  static readonly get = this.contract({ query: Page, returns: z.array(Note) })
  async get({ query: { offset, limit }, response }: Input<typeof Notes.get>): Result<typeof Notes.get> {
    const end = offset + limit
    if (end < this.notes.size) response.header('link', `</notes?offset=${end}&limit=${limit}>; rel="next"`)
    return [...this.notes.values()].slice(offset, end)
  }
}

class NoteById extends Route<Services> {
  static readonly path = '/notes/{id}'
  static readonly delete = this.contract({ params: z.object({ id: z.int() }), returns: null, errors: [404] })
  async delete({ params }: Input<typeof NoteById.delete>): Result<typeof NoteById.delete> {
    if (!this.notes.delete(params.id)) throw new HttpError(404, 'This note does not exist')
  }
}

const createNotes = (): Map<number, Note> => new Map([1, 2, 3, 4, 5].map((id) => [id, { id, text: `note ${id}` }]))
export const app = createApp({ services: { notes: service(createNotes) }, routes: { Notes, NoteById } })
