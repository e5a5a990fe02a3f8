/** Step 3: Verbena handles everything, with its own sessions and CORS. The app needs neither Express nor its middleware. */
import { createApp, HttpError, Route, type Input } from 'verbena'
import { session, signedIn } from 'verbena/session'
import * as z from 'zod'
import { errorFormat } from './errors.js'
import { noteRoutes } from './note-routes.js'
import { Notes, verify } from './notes.js'
import { photoRoutes } from './photo-routes.js'
import { ORIGIN, SECRET } from './settings.js'

// Pages of another site need `sameSite: 'none'`, and HTTPS. Users sign in again, because the cookie is another one.
const visitor = session({ schema: z.object({ name: z.string() }), keys: [SECRET], cookie: { insecure: true } })
const user = signedIn(visitor, ({ name }) => name)

class Session extends Route {
  static readonly post = this.contract({
    body: z.object({ name: z.string(), password: z.string() }),
    uses: { visitor },
    returns: null,
    errors: [401],
    public: true,
  })
  async post({ body, visitor }: Input<typeof Session.post>) {
    if (!verify(body.name, body.password)) throw new HttpError(401, 'Name or password is wrong')
    visitor.start({ name: body.name })
  }

  static readonly delete = this.contract({ uses: { visitor }, returns: null, public: true })
  async delete({ visitor }: Input<typeof Session.delete>) {
    visitor.end()
  }
}

export function createStep3(notes: Notes = new Notes()) {
  return createApp({
    services: { notes },
    routes: { Session, ...noteRoutes(user), ...photoRoutes(user) },
    cors: { origins: ORIGIN, credentials: true },
    errorFormat,
    mapError: (error) => {
      const isSignedOut = error instanceof HttpError && error.source === 'framework' && error.status === 401
      return isSignedOut ? new HttpError(401, 'Sign in first', { headers: error.headers }) : undefined
    },
    openapi: false,
  })
}
