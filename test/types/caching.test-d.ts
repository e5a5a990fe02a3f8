/** Preconditions and files: their values, and the services that they require. */
import { cacheControl, createApp, precondition, Route, stream, type Input, type Provider, type Result } from 'verbena'
import { files, sendFile } from 'verbena/files'
import * as z from 'zod'
import { sameType } from './same-type.js'

interface Db {
  revision(id: number): Promise<string | null>
}
declare const db: Db

const Id = z.object({ id: z.coerce.number() })
const revision = precondition({ params: Id }, ({ params }, { db }: { db: Db }) => db.revision(params.id), {
  required: true,
})
sameType<typeof revision, Provider<string | null, { db: Db }>>()

class Doc extends Route<{ db: Db }> {
  static readonly path = '/docs/{id}'
  static readonly get = this.contract({ uses: { revision }, etag: true, returns: z.string() })
  async get({ revision }: Input<typeof Doc.get>): Result<typeof Doc.get> {
    return revision ?? 'none'
  }
  static readonly put = this.contract({ uses: { revision }, returns: null })
  async put({ revision }: Input<typeof Doc.put>) {
    sameType<typeof revision, string | null>()
  }
  static readonly post = this.contract({ returns: stream() })
  async post(): Result<typeof Doc.post> {
    return sendFile('a.txt', { download: 'b.txt' })
  }
}

/** A subclass may leave tags out. */
export class Other extends Doc {
  static override readonly get = this.contract({ uses: { revision }, returns: z.string() })
}

createApp({ services: { db }, routes: { Doc, '/files': files('public'), '/': files(new URL('file:///srv')) } })
// @ts-expect-error - the service of the precondition is missing
createApp({ routes: { Doc } })

// @ts-expect-error - bodies are read later
precondition({ rawBody: true }, () => 1)
// @ts-expect-error - guards are providers of their own
precondition({ security: { type: 'http' } }, () => 1)
// @ts-expect-error - an object is no revision
precondition({}, () => ({ revision: 1 }))
// @ts-expect-error - a slip of "required"
precondition({}, () => 1, { require: true })
// @ts-expect-error - times are numbers of ms
cacheControl({ maxAge: '1 day' })
// @ts-expect-error - a slip of "fallback"
files('public', { fallbacks: 'index.html' })
// @ts-expect-error - a slip of "root"
sendFile('a.txt', { folder: 'public' })

export class Slip extends Route {
  // @ts-expect-error - true or false
  static readonly get = this.contract({ etag: 'strong' })
  get() {
    return 1
  }
}
