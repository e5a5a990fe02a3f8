/** Step 1: Verbena handles the notes. Express keeps sessions, CORS, photos and everything else. */
import cors from 'cors'
import express, { type Express, type Request } from 'express'
import multer from 'multer'
import { createApp } from 'verbena'
import { errorFormat } from './errors.js'
import { notFound, Refusal, sendError } from './express-errors.js'
import { sessions, signedIn } from './express-session.js'
import { expressUser, shareSession } from './express-user.js'
import { noteRoutes } from './note-routes.js'
import { Notes, verify, type Note } from './notes.js'
import { MAX_PHOTO, ORIGIN } from './settings.js'

export function createStep1(notes: Notes = new Notes()): Express {
  const upload = multer({ limits: { fileSize: MAX_PHOTO } })
  const findNote = ({ params }: Request): Note => {
    const note = notes.find(Number(params['id']))
    if (note === undefined) throw new Refusal(404, `No note ${params['id']}`)
    return note
  }
  const api = createApp({ services: { notes }, routes: noteRoutes(expressUser), errorFormat, openapi: false })
  const app = express()
  app.use(cors({ origin: ORIGIN, credentials: true }), sessions)
  // Before the body parser, because a body can be read only once.
  app.use(shareSession, api.handler)
  app.use(express.json())

  app.get('/notes/:id/photo', (request, response) => {
    const photo = notes.photoOf(findNote(request).id)
    if (photo === undefined) throw new Refusal(404, 'No photo')
    response.type(photo.type).send(Buffer.from(photo.bytes))
  })
  app.post('/notes/:id/photo', signedIn, upload.single('photo'), (request, response) => {
    const { id } = findNote(request)
    if (request.file === undefined) throw new Refusal(422, 'The photo is missing')
    notes.addPhoto(id, { type: request.file.mimetype, bytes: request.file.buffer })
    response.status(201).json({ size: request.file.size })
  })
  app.post('/session', (request, response) => {
    const { name, password } = request.body ?? {}
    if (!verify(name, password)) throw new Refusal(401, 'Name or password is wrong')
    request.session.name = name
    response.sendStatus(204)
  })
  app.delete('/session', (request, response, next) => {
    request.session.destroy((error) => (error ? next(error) : response.sendStatus(204)))
  })
  app.get('/me', signedIn, ({ session }, response) => void response.json({ name: session.name }))
  app.get('/report', () => {
    throw new Error('The report is broken')
  })

  app.use(notFound, sendError)
  return app
}
