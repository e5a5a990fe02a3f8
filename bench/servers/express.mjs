/** Express, according to its guide: `express.json`, default options. Handlers validate with zod, because Express has no validation. */
import express, { Router } from 'express'
import * as z from 'zod'
import { ITEMS, RESOURCES, STATUS, USER_ID } from '../data.mjs'
import { NewUser } from '../schemas.mjs'
import { count } from '../steps.mjs'

const Page = z.object({ limit: z.coerce.number().int().min(1).max(100).default(10), tag: z.string() })

const apps = { small, many, layered }

/** Starts one of the apps on a free port. */
export function start(app) {
  const made = apps[app](express())
  return new Promise((resolve) => {
    const server = made.listen(0, '127.0.0.1', () => resolve(server.address().port))
  })
}

function small(app) {
  const users = Router()
  users.post('/', express.json(), (request, response) => {
    const { data, error } = NewUser.safeParse(request.body)
    if (error) response.status(422).json({ issues: error.issues })
    else response.status(201).json({ id: USER_ID, ...data })
  })
  users.get('/:user/posts', (request, response) => {
    const { data, error } = Page.safeParse(request.query)
    if (error) response.status(422).json({ issues: error.issues })
    else response.json({ user: request.params.user, limit: data.limit, tag: data.tag })
  })
  app.use('/users', users)
  app.get('/items', (_request, response) => response.json(ITEMS))
  return addStatus(app)
}

function many(app) {
  for (const [number, path] of RESOURCES.entries()) {
    app.get(`${path}/:id`, ({ params }, response) => response.json({ resource: number, id: params.id }))
  }
  return app
}

function layered(app) {
  for (let layer = 0; layer < 5; layer++) {
    app.use(async (_request, _response, next) => {
      count()
      next()
    })
  }
  return addStatus(app)
}

function addStatus(app) {
  return app.get('/status', (_request, response) => response.json(STATUS))
}
