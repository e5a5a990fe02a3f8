/** Better Auth, with its users in memory, and a provider that reads its session. */
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { HttpError, provide } from 'verbena'
import { mount } from 'verbena/mount'

const auth = betterAuth({
  baseURL: { allowedHosts: ['127.0.0.1:*', 'localhost:*'], protocol: 'http' },
  basePath: '/api/auth',
  secret: 'a-secret-of-32-characters-or-more',
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  emailAndPassword: { enabled: true },
  telemetry: { enabled: false },
  rateLimit: { enabled: true, window: 60, max: 100 },
  advanced: { ipAddress: { ipAddressHeaders: ['x-client-ip'] } },
})

export const betterAuthRoutes = mount(
  (request, { request: { ip } }) => {
    // Its rate limits count by this header. It replaces a value that the client has sent.
    request.headers.set('x-client-ip', ip)
    return auth.handler(request)
  },
  { uses: {}, public: true },
)

/** The session of Better Auth, or a 401. */
export const session = provide(
  { security: { type: 'apiKey', in: 'cookie', name: 'better-auth.session_token' }, errors: [401] },
  async ({ request }) => {
    const { cookie = '', host = '' } = request.headers
    const found = await auth.api.getSession({ headers: new Headers({ cookie, host }) })
    if (found === null) throw new HttpError(401)
    return found
  },
)
