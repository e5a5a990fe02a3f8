import { picture, DRAWING, ORDER, type Calls, type Target } from '../calls.js'
import * as api from '../generated/oazapfts/index.js'

function to({ base, headers = {} }: Target): undefined {
  api.defaults.baseUrl = base
  api.defaults.headers = { ...headers }
}

/** Types of errors have the status `number`, so the data of a status also has their type. */
function requireData<Reply extends { readonly status: number }>(
  reply: Reply,
): Extract<Reply, { status: 200 }> extends { data: infer Data } ? Data : never {
  if (reply.status >= 400) throw new Error('The response is an error', { cause: reply })
  return (reply as unknown as { data: never }).data
}

export const calls: Calls = {
  path: async (target) => requireData(await api.readPath('a/b c', 7, to(target))),
  'list in a path': async (target) => requireData(await api.readPathList([1, 2], to(target))),
  query: async (target) => requireData(await api.readQuery(5, { exact: true, tag: ['a', 'b'] }, to(target))),
  'record in a query': async (target) => requireData(await api.readQueryRecord({ others: { a: 1, b: 2 } }, to(target))),
  headers: async (target) => requireData(await api.readHeaders('t1', ['a', 'b'], to(target))),
  cookie: async (target) => requireData(await api.readCookie('dark', to(target))),
  form: async (target) => requireData(await api.sendForm(ORDER, to(target))),
  multipart: async (target) =>
    requireData(await api.sendMultipart({ title: 'Tea', meta: { year: 2026 }, image: picture() }, to(target))),
  json: async (target) => requireData(await api.sendJson(DRAWING, to(target))),
  events: async (target) => requireData(await api.readEvents(to(target))),
  problem: async (target) => {
    const reply = await api.readProblem(to(target))
    if (reply.status !== 404) throw new Error('The response is no error')
    return reply.data
  },
  bytes: async (target) => new Uint8Array(await requireData(await api.readBytes(to(target))).arrayBuffer()),
  text: async (target) => requireData(await api.readText(to(target))),
  nothing: async (target) => {
    await api.removeNothing(to(target))
    return null
  },
  // @ts-expect-error - after a check of the status, the data is still a union with Problem
  'no operationId': async (target) => {
    const reply = await api.teasGet(to(target))
    if (reply.status !== 200) throw new Error('The response is an error')
    return reply.data
  },
  version: async (target) => requireData(await api.readVersion('2.0.0', to(target))),
  // @ts-expect-error - a required header must be passed to each call
  'version in headers of the client': async (target) => requireData(await api.readVersion(undefined, to(target))),
  // @ts-expect-error - a required header must be passed to each call
  'version in Accept': async (target) => requireData(await api.readVersion(undefined, to(target))),
}
