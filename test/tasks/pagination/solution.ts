import { createApp, cursor, HttpError, Route, service, type Input, type Result } from 'verbena'
import * as z from 'zod'

const Note = z.object({ id: z.int(), text: z.string() })
type Note = z.output<typeof Note>
interface Services {
  readonly notes: Map<number, Note>
}

const pages = cursor(z.object({ id: z.int() }), { limit: 20, most: 100 })

class Notes extends Route<Services> {
  static readonly get = this.contract({ query: pages.query, returns: z.array(Note) })
  async get({ query, request, response }: Input<typeof Notes.get>): Result<typeof Notes.get> {
    const after = query.cursor?.id ?? 0
    const rows = [...this.notes.values()].filter(({ id }) => id > after).slice(0, query.limit + 1)
    return [...pages.page(rows, { query, request, response }, ({ id }) => ({ id }))]
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
