import { picture, DRAWING, ORDER, type Calls, type Target } from '../calls.js'
import * as api from '../generated/orval/index.js'

/** The generated URLs are relative, which only browsers accept. */
function to({ base, headers = {} }: Target): RequestInit {
  const send = globalThis.fetch
  globalThis.fetch = (url, init) => send(new URL(String(url), base), init)
  return { headers }
}

function requireData<Reply extends { readonly status: number; readonly data: unknown }>(
  reply: Reply,
): Extract<Reply, { status: 200 }>['data'] {
  if (reply.status >= 400) throw new Error('The response is an error', { cause: reply.data })
  return reply.data
}

export const calls: Calls = {
  path: async (target) => requireData(await api.readPath('a/b c', 7, to(target))),
  'list in a path': async (target) => requireData(await api.readPathList([1, 2], to(target))),
  query: async (target) => requireData(await api.readQuery({ limit: 5, exact: true, tag: ['a', 'b'] }, to(target))),
  'record in a query': async (target) => requireData(await api.readQueryRecord({ others: { a: 1, b: 2 } }, to(target))),
  headers: async (target) => requireData(await api.readHeaders(to(target))),
  cookie: async (target) => requireData(await api.readCookie(to(target))),
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
  'no operationId': async (target) => requireData(await api.teasGet(to(target))),
  version: async (target) => requireData(await api.readVersion(to(target))),
  'version in headers of the client': async (target) => requireData(await api.readVersion(to(target))),
  'version in Accept': async (target) => requireData(await api.readVersion(to(target))),
}
