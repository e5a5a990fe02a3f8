/** One app with all mounted servers, and the same servers after a guard, below `/team`. */
import { createApp, group, Route, type App, type Input } from 'verbena'
import { apollo, apolloRoutes } from './apollo.js'
import * as authJs from './auth-js.js'
import * as betterAuth from './better-auth.js'
import { mcpRoutes, sessions } from './mcp.js'
import { mountOrpc } from './orpc.js'
import { mountTrpc } from './trpc.js'
import { user } from './user.js'
import { mountYoga } from './yoga.js'

class Me extends Route {
  static readonly get = this.contract({ uses: { session: betterAuth.session } })
  get({ session }: Input<typeof Me.get>) {
    return { name: session.user.name }
  }
}

class Guest extends Route {
  static readonly get = this.contract({ uses: { session: authJs.session } })
  get({ session }: Input<typeof Guest.get>) {
    return { name: session.user.name }
  }
}

export function createMountedApp(): App {
  return createApp({
    routes: {
      '/api/auth': betterAuth.betterAuthRoutes,
      '/auth': authJs.authJsRoutes,
      '/graphql': mountYoga('/graphql'),
      '/apollo': apolloRoutes,
      '/trpc': mountTrpc('/trpc'),
      '/rpc': mountOrpc('/rpc'),
      '/mcp': mcpRoutes,
      '/team': group({
        uses: { user },
        cors: { origins: ['https://shop.example'], headers: ['authorization', 'content-type'] },
        routes: {
          '/graphql': mountYoga('/team/graphql'),
          '/apollo': apolloRoutes,
          '/trpc': mountTrpc('/team/trpc'),
          '/rpc': mountOrpc('/team/rpc'),
        },
      }),
      Me,
      Guest,
    },
    services: { apollo, sessions },
    signals: false,
    logger: false,
  })
}
