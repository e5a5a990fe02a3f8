import { readBlob, picture, DRAWING, ORDER, type Calls, type Target } from '../calls.js'
import { createApiClient } from '../generated/openapi-zod-client/index.js'

function to({ base, headers = {} }: Target): ReturnType<typeof createApiClient> {
  return createApiClient(base, { axiosConfig: { headers: { ...headers } } })
}

export const calls: Calls = {
  path: (target) => to(target).readPath({ params: { shelf: 'a/b c', id: 7 } }),
  'list in a path': (target) => to(target).readPathList({ params: { ids: [1, 2] } }),
  // @ts-expect-error - literals are typed as string
  query: (target) => to(target).readQuery({ queries: { limit: 5, exact: true, tag: ['a', 'b'] } }),
  'record in a query': (target) => to(target).readQueryRecord({ queries: { others: { a: 1, b: 2 } } }),
  headers: (target) => to(target).readHeaders({ headers: { 'x-trace': 't1', 'x-tags': ['a', 'b'] } }),
  cookie: (target) => to(target).readCookie(),
  form: (target) => to(target).sendForm(ORDER),
  multipart: (target) => to(target).sendMultipart({ title: 'Tea', meta: { year: 2026 }, image: picture() }),
  // @ts-expect-error - literals are typed as string
  json: (target) => to(target).sendJson(DRAWING),
  // @ts-expect-error - a response that is not JSON is typed as void
  events: (target) => to(target).readEvents(),
  problem: async (target) => {
    try {
      await to(target).readProblem()
    } catch (err) {
      // The library types errors as unknown.
      const { response } = err as { response: { data: { status: number; detail: string } } }
      return response.data
    }
    throw new Error('The response is no error')
  },
  // @ts-expect-error - a response that is not JSON is typed as void
  bytes: async (target) => readBlob(await to(target).readBytes({ responseType: 'blob' })),
  // @ts-expect-error - a response that is not JSON is typed as void
  text: (target) => to(target).readText(),
  nothing: async (target) => {
    await to(target).removeNothing(undefined)
    return null
  },
  'no operationId': (target) => to(target)['Teas.get'](),
  version: (target) => to(target).readVersion({ headers: { 'accept-version': '2.0.0' } }),
  // @ts-expect-error - a required header must be passed to each call
  'version in headers of the client': (target) => to(target).readVersion(),
  // @ts-expect-error - a required header must be passed to each call
  'version in Accept': (target) => to(target).readVersion(),
}
