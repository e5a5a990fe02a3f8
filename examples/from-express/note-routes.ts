/** Step 1: the notes as routes of Verbena. */
import { HttpError, reply, Route, type Input, type Provider } from 'verbena'
import * as z from 'zod'
import type { Note, Notes } from './notes.js'

const NoteBody = z.object({ id: z.number(), text: z.string(), author: z.string() })
const params = z.object({ id: z.coerce.number() })

/** Finds a note, or throws a 404. */
export function findNote(notes: Notes, id: number): Note {
  const note = notes.find(id)
  if (note === undefined) throw new HttpError(404, `No note ${id}`)
  return note
}

/**
 * @param user the name of the user; a guard
 */
export function noteRoutes(user: Provider<string>) {
  class NoteList extends Route<{ notes: Notes }> {
    static readonly path = '/notes'
    static readonly get = this.contract({ returns: z.array(NoteBody) })
    async get() {
      return this.notes.list()
    }

    static readonly post = this.contract({
      uses: { user },
      body: z.object({ text: z.string() }),
      returns: { 201: NoteBody },
    })
    async post({ user, body, request }: Input<typeof NoteList.post>) {
      const note = this.notes.add(body.text, user)
      return reply(201, note, { location: request.href(NoteById, { id: note.id }) })
    }
  }

  class NoteById extends Route<{ notes: Notes }> {
    static readonly path = '/notes/{id}'
    static readonly get = this.contract({ params, returns: NoteBody, errors: [404] })
    async get({ params }: Input<typeof NoteById.get>) {
      return findNote(this.notes, params.id)
    }

    static readonly delete = this.contract({ params, uses: { user }, returns: null, errors: [403, 404] })
    async delete({ params, user }: Input<typeof NoteById.delete>) {
      const note = findNote(this.notes, params.id)
      if (note.author !== user) throw new HttpError(403, 'This is the note of another user')
      this.notes.remove(note.id)
    }
  }

  return { NoteList, NoteById }
}
