import { readBlob, picture, DRAWING, ORDER, type Calls, type Target } from '../calls.js'
import * as sdk from '../generated/hey-api/index.js'
import { client } from '../generated/hey-api/client.gen.js'

function to({ base, headers = {} }: Target): { readonly throwOnError: true } {
  client.setConfig({ baseUrl: base, headers })
  return { throwOnError: true }
}

export const calls: Calls = {
  path: async (target) => (await sdk.readPath({ ...to(target), path: { shelf: 'a/b c', id: 7 } })).data,
  'list in a path': async (target) => (await sdk.readPathList({ ...to(target), path: { ids: [1, 2] } })).data,
  query: async (target) =>
    (await sdk.readQuery({ ...to(target), query: { limit: 5, exact: true, tag: ['a', 'b'] } })).data,
  'record in a query': async (target) =>
    (await sdk.readQueryRecord({ ...to(target), query: { others: { a: 1, b: 2 } } })).data,
  headers: async (target) =>
    (await sdk.readHeaders({ ...to(target), headers: { 'x-trace': 't1', 'x-tags': ['a', 'b'] } })).data,
  // @ts-expect-error - the type has no cookies
  cookie: async (target) => (await sdk.readCookie({ ...to(target), cookies: { theme: 'dark' } })).data,
  form: async (target) => (await sdk.sendForm({ ...to(target), body: ORDER })).data,
  multipart: async (target) =>
    (await sdk.sendMultipart({ ...to(target), body: { title: 'Tea', meta: { year: 2026 }, image: picture() } })).data,
  json: async (target) => (await sdk.sendJson({ ...to(target), body: DRAWING })).data,
  // @ts-expect-error - events are typed as string, and arrive as objects
  events: async (target) => {
    const { stream } = await sdk.readEvents(to(target))
    const events = []
    for await (const event of stream) events.push(event)
    return events
  },
  problem: async (target) => {
    to(target)
    const { error } = await sdk.readProblem()
    if (error === undefined) throw new Error('The response is no error')
    return error
  },
  // @ts-expect-error - bytes are typed as unknown
  bytes: async (target) => readBlob((await sdk.readBytes(to(target))).data),
  text: async (target) => (await sdk.readText(to(target))).data,
  nothing: async (target) => {
    await sdk.removeNothing(to(target))
    return null
  },
  'no operationId': async (target) => (await sdk.teasGet(to(target))).data,
  version: async (target) => (await sdk.readVersion({ ...to(target), headers: { 'accept-version': '2.0.0' } })).data,
  // @ts-expect-error - a required header must be passed to each call
  'version in headers of the client': async (target) => (await sdk.readVersion(to(target))).data,
  // @ts-expect-error - a required header must be passed to each call
  'version in Accept': async (target) => (await sdk.readVersion(to(target))).data,
}
