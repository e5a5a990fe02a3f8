/** The same endpoints in Express, in Verbena, and in Verbena with the changes that keep the responses of Express. */
import express, { type ErrorRequestHandler } from 'express'
import {
  bearer,
  createApp,
  HttpError,
  json,
  provide,
  redirect,
  reply,
  Route,
  type Input,
  type Middleware,
  type Result,
} from 'verbena'
import * as z from 'zod'

const Note = z.object({ text: z.string() })
const Tag = z.object({ tag: z.string().default('') })
const Tags = z.object({ tag: z.union([z.string(), z.array(z.string())]) })
const MOVED = 'Found. Redirecting to /notes'

/** Sends errors as Express does, but without logging them. */
const sendError: ErrorRequestHandler = (error: Error & { status?: number }, _request, response, _next) => {
  response.status(error.status ?? 500).send(`<pre>${error.stack}</pre>`)
}

export function createExpress(): express.Express {
  const app = express()
  app.get('/notes', ({ query }, response) => void response.json({ tag: query['tag'] ?? '' }))
  app.post('/notes', express.json(), ({ body }, response) => void response.json(body ?? 'no body'))
  app.get('/private', (_request, response) => void response.status(401).json({ error: 'Sign in first' }))
  app.get('/old', (_request, response) => response.redirect('/notes'))
  app.get('/broken', () => {
    throw new Error('password of db-7')
  })
  app.use(sendError)
  return app
}

class Notes extends Route {
  static readonly get = this.contract({ query: Tag, returns: Tag })
  async get({ query }: Input<typeof Notes.get>): Result<typeof Notes.get> {
    return query
  }
  static readonly post = this.contract({ body: Note, returns: Note })
  async post({ body }: Input<typeof Notes.post>): Result<typeof Notes.post> {
    return body
  }
}

const signedIn = bearer((token) => token === 'a1b2' && 'ada')

class Private extends Route {
  static readonly get = this.contract({ uses: { signedIn } })
  async get() {}
}

class Old extends Route {
  async get() {
    return redirect('/notes')
  }
}

class Broken extends Route {
  async get() {
    throw new Error('password of db-7')
  }
}

export function createVerbena() {
  return createApp({ routes: { Notes, Private, Old, Broken }, logger: false, signals: false, devConsole: false })
}

class KeptNotes extends Route {
  static readonly path = '/notes'
  static readonly get = this.contract({ query: Tags.partial(), etag: true })
  async get({ query: { tag = '' } }: Input<typeof KeptNotes.get>) {
    return { tag }
  }
  static readonly post = this.contract({ body: json(Note.optional(), { types: ['*/*'] }) })
  async post({ body }: Input<typeof KeptNotes.post>) {
    return body ?? 'no body'
  }
}

const user = provide({ errors: [401] }, ({ request }) => {
  if (request.headers['authorization'] !== 'Bearer a1b2') throw new HttpError(401, 'Sign in first')
  return 'ada'
})

class KeptPrivate extends Route {
  static readonly path = '/private'
  static readonly get = this.contract({ uses: { user } })
  async get() {}
}

class KeptOld extends Route {
  static readonly path = '/old'
  async get() {
    return reply(302, MOVED, { location: '/notes', vary: 'Accept' })
  }
}

class OtherPaths extends Route {
  static readonly path = '/{path...}'
  static readonly fallback = true
  async get({ request }: Input) {
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    return new Response(`<pre>Cannot GET ${encodeURI(request.path)}</pre>`, { status: 404, headers })
  }
}

const asExpress: Middleware = async ({ request, endpoint }, next) => {
  const { method } = request
  if (method === 'OPTIONS')
    return reply(200, 'GET, HEAD, POST', { allow: 'GET, HEAD, POST', 'content-type': 'text/plain' })
  const answer = await next()
  if (answer.error instanceof HttpError && answer.error.status === 400) throw new HttpError(500, 'Unexpected token')
  const isJson = endpoint?.route === 'KeptNotes' && answer.error === undefined
  const type = isJson ? { 'content-type': 'application/json; charset=utf-8' } : {}
  return answer.with({ ...type, 'x-request-id': null, 'x-powered-by': 'Express' })
}

export function createKept() {
  return createApp({
    routes: { KeptNotes, KeptPrivate, KeptOld, OtherPaths, Broken },
    middleware: [asExpress],
    mapError: (error) =>
      error instanceof HttpError && [405, 501].includes(error.status) ? new HttpError(404) : undefined,
    errorFormat: {
      mediaType: 'application/json',
      schema: z.object({ error: z.string() }),
      write: ({ title }) => ({ error: title }),
    },
    limits: { body: 102_400 },
    trailingSlash: 'ignore',
    logger: false,
    signals: false,
    devConsole: false,
  })
}
