/** Prints a report of three apps, as JSON: paths, document, responses, and the status of the console. */
import { createApp, SetupError, Route } from 'verbena'
import Home, { crud, Names } from './crud.js'
import { audited, Things, Users } from './users.js'

class PathInClass extends Route {
  static readonly path = '/pinned'
  async get() {
    return 'pinned'
  }
}

const common = { name: 'toolchains', logger: false, versioning: { default: '2.0.0' } } as const

/** Returns the paths of an app, or its setup error. */
function tryRoutes(create: () => { routes(): readonly { readonly path: string }[] }): unknown {
  try {
    return create()
      .routes()
      .map(({ path }) => path)
  } catch (error) {
    if (error instanceof SetupError) return { code: error.code, message: error.message }
    throw error
  }
}

async function report(): Promise<unknown> {
  const app = createApp({ ...common, routes: { Home, Users, Things, Names, Made: crud('made') } })
  const { url } = await app.listen({ port: 0 })
  const read = async (path: string): Promise<readonly [number, string]> => {
    const response = await fetch(`${url}${path}`, { headers: { accept: 'application/json' } })
    return [response.status, await response.text()]
  }
  const paths = ['/home', '/users?id=1', '/users?id=2', '/things', '/names', '/made']
  const responses = []
  for (const path of paths) responses.push([path, ...(await read(path))])
  const [, document] = await read('/openapi.json')
  const [console] = await read('/__dev__')
  await app.close()
  return {
    routes: tryRoutes(() => app),
    document,
    responses: responses.map(([path, status, body]) => [path, status, status === 200 ? body : '']),
    audited,
    console,
    pinned: tryRoutes(() => createApp({ ...common, routes: [PathInClass] })),
    named: tryRoutes(() => createApp({ ...common, routes: [Users, Names] })),
    strict: tryRoutes(() => createApp({ ...common, strict: true, routes: [Users, Names] })),
    unnamed: tryRoutes(() => createApp({ ...common, routes: [Home] })),
  }
}

report().then(
  (value) => console.log(`REPORT ${JSON.stringify(value)}`),
  (error: unknown) => {
    console.error(error)
    process.exitCode = 1
  },
)
