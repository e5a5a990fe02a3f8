/** Polka: a router on `node:http`. The missing parts (bodies, validation, JSON) are written by hand. */
import polka from 'polka'
import { ITEMS, RESOURCES, STATUS } from '../data.mjs'
import { count } from '../steps.mjs'
import { createUser, listPosts, refuse, send } from './raw.mjs'

const apps = { small, many, layered }

/** Starts one of the apps on a free port. */
export function start(app) {
  const onNoMatch = (_, response) => refuse(response, 404, 'Not Found', 'No resource matches this path')
  const made = apps[app](polka({ onNoMatch }))
  return new Promise((resolve) => {
    made.listen(0, '127.0.0.1', () => resolve(made.server.address().port))
  })
}

function small(app) {
  return addStatus(app)
    .get('/items', (_, response) => send(response, 200, ITEMS))
    .post('/users', createUser)
    .get('/users/:user/posts', (request, response) => listPosts(request, response, request.path))
}

function many(app) {
  for (const [number, path] of RESOURCES.entries()) {
    app.get(`${path}/:id`, ({ params }, response) => send(response, 200, { resource: number, id: params.id }))
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
  return app.get('/status', (_, response) => send(response, 200, STATUS))
}
