/** Step 2: photos, with `multipart` instead of multer, and the routes that only read the session. */
import { bytes, HttpError, reply, Route, type Input, type Provider } from 'verbena'
import { multipart } from 'verbena/multipart'
import * as z from 'zod'
import { findNote } from './note-routes.js'
import type { Notes } from './notes.js'
import { MAX_PHOTO } from './settings.js'

const params = z.object({ id: z.coerce.number() })

/**
 * @param user the name of the user; a guard
 */
export function photoRoutes(user: Provider<string>) {
  class Photo extends Route<{ notes: Notes }> {
    static readonly path = '/notes/{id}/photo'
    static readonly get = this.contract({ params, returns: { 200: bytes() }, errors: [404] })
    async get({ params }: Input<typeof Photo.get>) {
      const photo = this.notes.photoOf(findNote(this.notes, params.id).id)
      if (photo === undefined) throw new HttpError(404, 'No photo')
      return reply(200, photo.bytes, { 'content-type': photo.type })
    }

    static readonly post = this.contract({
      params,
      uses: { user },
      body: multipart({ files: { photo: { limit: MAX_PHOTO } } }),
      returns: { 201: z.object({ size: z.number() }) },
      errors: [404],
    })
    async post({ params, body }: Input<typeof Photo.post>) {
      const { id } = findNote(this.notes, params.id)
      const { photo } = body.files
      this.notes.addPhoto(id, { type: photo.type, bytes: new Uint8Array(await photo.arrayBuffer()) })
      return reply(201, { size: photo.size })
    }
  }

  class Me extends Route {
    static readonly get = this.contract({ uses: { user }, returns: z.object({ name: z.string() }) })
    async get({ user }: Input<typeof Me.get>) {
      return { name: user }
    }
  }

  class Report extends Route {
    static readonly get = this.contract({ returns: z.string() })
    async get(): Promise<string> {
      throw new Error('The report is broken')
    }
  }

  return { Photo, Me, Report }
}
