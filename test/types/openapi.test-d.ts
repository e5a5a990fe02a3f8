/** The option `openapi`, and the result of `app.openapi()`. */
import { createApp, Route, type OpenApiDocument, type OpenApiOperation } from 'verbena'
import { sameType } from './same-type.js'

class Home extends Route {
  get() {}
}

const app = createApp({
  routes: { Home },
  openapi: { info: { description: 'more', title: 'Home' }, servers: [{ url: '/' }] },
})
createApp({ routes: { Home }, openapi: false })
createApp({ routes: { Home }, openapi: { path: '/docs.json' } })
createApp({ routes: { Home }, openapi: { version: '3.2' } })
// @ts-expect-error - it is the version of OpenAPI without its last number
createApp({ routes: { Home }, openapi: { version: '3.2.0' } })
// @ts-expect-error - `true` says nothing that is not so anyway
createApp({ routes: { Home }, openapi: true })
// @ts-expect-error - a server has a url
createApp({ routes: { Home }, openapi: { servers: [{ description: 'x' }] } })
// @ts-expect-error - it is `path`
createApp({ routes: { Home }, openapi: { paths: '/docs.json' } })

const document = app.openapi({ version: '1.4.0' })
document satisfies OpenApiDocument
document.openapi satisfies '3.1.1' | '3.2.0'
const operation = document.paths['/home']?.['get']
sameType<typeof operation, OpenApiOperation | undefined>()
// @ts-expect-error - it is data of its own, but not to be changed
document.info = { title: 'x', version: '1' }
// @ts-expect-error - a version is a text
app.openapi({ version: 1 })
