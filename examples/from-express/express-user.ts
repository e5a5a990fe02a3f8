/** Steps 1 and 2: the session of Express as a provider. The async context of the middleware also includes the routes of Verbena. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestHandler } from 'express'
import type { SessionData } from 'express-session'
import { HttpError, provide } from 'verbena'
import './express-session.js'

const current = new AsyncLocalStorage<Partial<SessionData>>()

/** Middleware after `sessions`. */
export const shareSession: RequestHandler = (request, _response, next) => current.run(request.session, next)

export const expressUser = provide({ guard: true, errors: [401] }, () => {
  const name = current.getStore()?.name
  if (name === undefined) throw new HttpError(401, 'Sign in first')
  return name
})
