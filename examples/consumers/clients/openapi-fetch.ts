import createClient, { type Client } from 'openapi-fetch'
import { picture, DRAWING, ORDER, type Calls, type Target } from '../calls.js'
import type { paths } from '../generated/openapi-fetch/schema.js'

function to({ base, headers = {} }: Target): Client<paths> {
  return createClient<paths>({ baseUrl: base, headers })
}

function requireData<Data>({ data, error }: { readonly data?: Data; readonly error?: unknown }): Data {
  if (data === undefined) throw new Error('The response is an error', { cause: error })
  return data
}

export const calls: Calls = {
  path: async (target) =>
    requireData(await to(target).GET('/shelves/{shelf}/books/{id}', { params: { path: { shelf: 'a/b c', id: 7 } } })),
  'list in a path': async (target) =>
    requireData(await to(target).GET('/numbers/{ids}', { params: { path: { ids: [1, 2] } } })),
  query: async (target) =>
    requireData(await to(target).GET('/books', { params: { query: { limit: 5, exact: true, tag: ['a', 'b'] } } })),
  'record in a query': async (target) =>
    requireData(await to(target).GET('/filters', { params: { query: { others: { a: 1, b: 2 } } } })),
  headers: async (target) =>
    requireData(await to(target).GET('/traces', { params: { header: { 'x-trace': 't1', 'x-tags': ['a', 'b'] } } })),
  cookie: async (target) => requireData(await to(target).GET('/themes', { params: { cookie: { theme: 'dark' } } })),
  form: async (target) =>
    requireData(
      await to(target).POST('/orders', {
        body: ORDER,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ),
  multipart: async (target) =>
    requireData(await to(target).POST('/pictures', { body: { title: 'Tea', meta: { year: 2026 }, image: picture() } })),
  json: async (target) => requireData(await to(target).POST('/drawings', { body: DRAWING })),
  events: async (target) => requireData(await to(target).GET('/ticks', { parseAs: 'text' })),
  problem: async (target) => {
    const { error } = await to(target).GET('/missing')
    if (error === undefined) throw new Error('The response is no error')
    return error
  },
  bytes: async (target) => new Uint8Array(requireData(await to(target).GET('/thumbnail', { parseAs: 'arrayBuffer' }))),
  text: async (target) => requireData(await to(target).GET('/poem', { parseAs: 'text' })),
  nothing: async (target) => {
    await to(target).DELETE('/session')
    return null
  },
  'no operationId': async (target) => requireData(await to(target).GET('/teas')),
  version: async (target) =>
    requireData(await to(target).GET('/prices', { params: { header: { 'accept-version': '2.0.0' } } })),
  // @ts-expect-error - a required header must be passed to each call
  'version in headers of the client': async (target) => requireData(await to(target).GET('/prices')),
  // @ts-expect-error - a required header must be passed to each call
  'version in Accept': async (target) => requireData(await to(target).GET('/prices')),
}
