/** The proofs of a new project: their test, and the files with which they compare the app. */

export const AUTHORIZATION_TEST = `import { it } from 'node:test'
import { authorization } from 'verbena/prove'
import { app } from '../src/app.js'

it('authorization', async () => {
  await authorization(app, { actors: { nobody: {} }, file: 'authorization.txt' })
})
`

/** The same for each validation library. */
export const AUTHORIZATION = `verbena authorization 1 (an owner check inside a method is seen only by the check of objects)
nobody   endpoint
reached  GET /openapi.json (document)
reached  GET /tasks
reached  POST /tasks
reached  GET /tasks/{id}
`

export const SURFACE = `verbena surface 1

* /__dev__ (console)
  no guard on this machine in development, otherwise a token
  not in production

GET /openapi.json (document)
  no guard
  out 200 body (OpenAPI document)

GET /tasks
  no guard
  out 200 body [].done
  out 200 body [].id
  out 200 body [].title

POST /tasks
  no guard
  in body title
  out 201 body done
  out 201 body id
  out 201 body title

GET /tasks/{id}
  no guard
  in path id (undescribed)
  out 200 body done
  out 200 body id
  out 200 body title
`
