/** Auth.js with a password, and a provider that reads its session. */
import { Auth, type AuthConfig } from '@auth/core'
import Credentials from '@auth/core/providers/credentials'
import { HttpError, provide } from 'verbena'
import { mount } from 'verbena/mount'
import * as z from 'zod'

const config: AuthConfig = {
  basePath: '/auth',
  // Verbena reads the host only from trusted proxies.
  trustHost: true,
  secret: 'a-secret-of-32-characters-or-more',
  logger: { error() {} },
  providers: [
    Credentials({
      credentials: { name: {}, password: { type: 'password' } },
      authorize: ({ name, password }) => (name === 'ada' && password === 'lovelace' ? { name: 'ada' } : null),
    }),
  ],
}

export const authJsRoutes = mount((request) => Auth(request, config), { public: true })

const Session = z.object({ user: z.object({ name: z.string() }) })

/** The session of Auth.js, or a 401. */
export const session = provide(
  { security: { type: 'apiKey', in: 'cookie', name: 'authjs.session-token' }, errors: [401] },
  async ({ request }) => {
    const { cookie = '' } = request.headers
    const response = await Auth(new Request('http://localhost/auth/session', { headers: { cookie } }), config)
    const { data } = Session.safeParse(await response.json())
    if (data === undefined) throw new HttpError(401)
    return data
  },
)
