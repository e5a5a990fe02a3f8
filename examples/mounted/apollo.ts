/** Apollo Server, which has no function from `Request` to `Response`. */
import { ApolloServer, HeaderMap } from '@apollo/server'
import { provide, service } from 'verbena'
import { mount } from 'verbena/mount'
import { viewer, type User } from './user.js'

interface Context {
  readonly viewer: User | undefined
}

/** A service of the app: it starts and stops with the app. */
export const apollo = service(
  async () => {
    const server = new ApolloServer<Context>({
      typeDefs: 'type Query { viewer: String, broken: String }',
      resolvers: {
        Query: {
          viewer: (_root: unknown, _args: unknown, { viewer }: Context) => viewer?.name,
          broken: () => {
            throw new Error('inner')
          },
        },
      },
      includeStacktraceInErrorResponses: false,
      stopOnTerminationSignals: false,
    })
    await server.start()
    return server
  },
  { close: (server) => server.stop() },
)

const server = provide({}, (_input, { apollo }: { apollo: ApolloServer<Context> }) => apollo)

export const apolloRoutes = mount(
  async (request, { server, viewer }) => {
    const result = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method: request.method,
        headers: new HeaderMap(request.headers),
        search: new URL(request.url).search,
        // Apollo Server responds with 400 to a string.
        body: request.body === null ? undefined : await request.json().catch(() => 'malformed'),
      },
      context: async () => ({ viewer }),
    })
    const { status = 200, headers, body } = result
    // Parts belong to `@defer`, which GraphQL.js 16 does not have.
    if (body.kind !== 'complete') throw new Error('Cannot send a result in parts')
    return new Response(body.string, { status, headers: [...headers] })
  },
  { uses: { server, viewer }, types: ['application/json'] },
)
