/** Sessions of the Express app. */
import type { RequestHandler } from 'express'
import session from 'express-session'
import { Refusal } from './express-errors.js'
import { SECRET } from './settings.js'

declare module 'express-session' {
  interface SessionData {
    name: string
  }
}

export const sessions = session({ secret: SECRET, resave: false, saveUninitialized: false })

export const signedIn: RequestHandler = (request, _response, next) => {
  if (request.session.name === undefined) throw new Refusal(401, 'Sign in first')
  next()
}
