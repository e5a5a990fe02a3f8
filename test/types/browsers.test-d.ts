/** `cors` and `securityHeaders` of apps and groups. */
import { createApp, group, Route, type CorsOptions, type SecurityHeaders } from 'verbena'

class Home extends Route {
  get() {
    return 'home'
  }
}

const cors: CorsOptions = { origins: ['https://app.example'], methods: ['GET'], maxAge: 1000 }
const headers: SecurityHeaders = { html: { 'x-frame-options': null } }
const routes = { Home, '/api': group({ cors, securityHeaders: headers, routes: { Home } }) }

createApp({ cors, securityHeaders: 'api', routes })
createApp({ cors: { origins: async (origin) => origin.endsWith('.example'), credentials: true }, routes })
createApp({ cors: { origins: '*', expose: ['etag'], headers: ['x-own'] }, securityHeaders: 'html', routes })
group({ cors: false, securityHeaders: false, routes: { Home } })

// @ts-expect-error - an origin is needed
createApp({ cors: {}, routes })
// @ts-expect-error - a slip of the pen
createApp({ cors: { origins: '*', credential: true }, routes })
// @ts-expect-error - times are numbers of ms
createApp({ cors: { origins: '*', maxAge: '10m' }, routes })
// @ts-expect-error - an app that shares nothing leaves it out
createApp({ cors: false, routes })
// @ts-expect-error - there is no such set
createApp({ securityHeaders: 'strict', routes })
// @ts-expect-error - a field is a text, or left out
group({ securityHeaders: { api: { 'x-frame-options': false } }, routes: { Home } })
