import { picture, DRAWING, ORDER, type Calls, type Target } from '../calls.js'
import { Api } from '../generated/swagger-typescript-api/index.js'

function to({ base, headers = {} }: Target): Api<unknown> {
  return new Api({ baseUrl: base, baseApiParams: { headers } })
}

export const calls: Calls = {
  path: async (target) => (await to(target).shelves.readPath('a/b c', 7)).data,
  'list in a path': async (target) => (await to(target).numbers.readPathList([1, 2])).data,
  query: async (target) => (await to(target).books.readQuery({ limit: 5, exact: true, tag: ['a', 'b'] })).data,
  'record in a query': async (target) => (await to(target).filters.readQueryRecord({ others: { a: 1, b: 2 } })).data,
  headers: async (target) => (await to(target).traces.readHeaders()).data,
  cookie: async (target) => (await to(target).themes.readCookie()).data,
  form: async (target) => (await to(target).orders.sendForm(ORDER)).data,
  multipart: async (target) =>
    (await to(target).pictures.sendMultipart({ title: 'Tea', meta: { year: 2026 }, image: picture() })).data,
  json: async (target) => (await to(target).drawings.sendJson(DRAWING)).data,
  events: async (target) => (await to(target).ticks.readEvents({ format: 'text' })).data,
  problem: async (target) => {
    try {
      await to(target).missing.readProblem()
    } catch (err) {
      // A thrown value has no type.
      return (err as { error: { status: number; detail: string } }).error
    }
    throw new Error('The response is no error')
  },
  bytes: async (target) => new Uint8Array(await (await to(target).thumbnail.readBytes()).data.arrayBuffer()),
  text: async (target) => (await to(target).poem.readText()).data,
  nothing: async (target) => {
    await to(target).session.removeNothing()
    return null
  },
  'no operationId': async (target) => (await to(target).teas.teasGet()).data,
  version: async (target) => (await to(target).prices.readVersion()).data,
  'version in headers of the client': async (target) => (await to(target).prices.readVersion()).data,
  'version in Accept': async (target) => (await to(target).prices.readVersion()).data,
}
