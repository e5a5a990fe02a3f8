/** GraphQL Yoga. */
import { createSchema, createYoga } from 'graphql-yoga'
import { mount } from 'verbena/mount'
import { tick } from './ticks.js'
import { viewer, type User } from './user.js'

interface Context {
  readonly viewer: User | undefined
  readonly request: Request
}

const schema = createSchema<Context>({
  typeDefs: /* GraphQL */ `
    type Query {
      viewer: String
      broken: String
    }
    type Subscription {
      ticks: Int!
    }
  `,
  resolvers: {
    Query: {
      viewer: (_root, _args, { viewer }) => viewer?.name,
      broken: () => {
        throw new Error('inner')
      },
    },
    Subscription: {
      ticks: {
        subscribe: (_root, _args, { request }) => tick('yoga', request.signal),
        resolve: (value: number) => value,
      },
    },
  },
})

/** @param path the path in `routes`, with the paths of its groups */
export function mountYoga(path: string) {
  const yoga = createYoga<Pick<Context, 'viewer'>>({ schema, graphqlEndpoint: path, logging: false })
  return mount((request, { viewer }) => yoga.fetch(request, { viewer }), { uses: { viewer } })
}
