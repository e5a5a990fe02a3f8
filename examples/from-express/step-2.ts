/** Step 2: Verbena also handles photos and all routes that only read the session. Express keeps signing in, sessions and CORS. */
import cors from 'cors'
import express, { type Express } from 'express'
import { createApp } from 'verbena'
import { errorFormat } from './errors.js'
import { notFound, Refusal, sendError } from './express-errors.js'
import { sessions } from './express-session.js'
import { expressUser, shareSession } from './express-user.js'
import { noteRoutes } from './note-routes.js'
import { Notes, verify } from './notes.js'
import { photoRoutes } from './photo-routes.js'
import { ORIGIN } from './settings.js'

export function createStep2(notes: Notes = new Notes()): Express {
  const routes = { ...noteRoutes(expressUser), ...photoRoutes(expressUser) }
  const api = createApp({ services: { notes }, routes, errorFormat, openapi: false })
  const app = express()
  app.use(cors({ origin: ORIGIN, credentials: true }), sessions)
  app.use(shareSession, api.handler)
  app.use(express.json())

  app.post('/session', (request, response) => {
    const { name, password } = request.body ?? {}
    if (!verify(name, password)) throw new Refusal(401, 'Name or password is wrong')
    request.session.name = name
    response.sendStatus(204)
  })
  app.delete('/session', (request, response, next) => {
    request.session.destroy((error) => (error ? next(error) : response.sendStatus(204)))
  })

  app.use(notFound, sendError)
  return app
}
