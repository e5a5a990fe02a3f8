import { readBlob, picture, DRAWING, ORDER, type Calls, type Target } from '../calls.js'
import * as api from '../generated/openapi-typescript-codegen/index.js'

function to({ base, headers = {} }: Target): void {
  api.OpenAPI.BASE = base
  api.OpenAPI.HEADERS = { ...headers }
}

/** Every result is a union with Problem, although errors are thrown. */
type Success<Data> = Exclude<Data, api.Problem>

async function send<Data>(target: Target, call: () => Promise<Data>): Promise<Success<Data>> {
  to(target)
  return (await call()) as Success<Data>
}

export const calls: Calls = {
  path: (target) => send(target, () => api.ShelfBookService.readPath('a/b c', 7)),
  'list in a path': (target) => send(target, () => api.NumbersService.readPathList([1, 2])),
  // @ts-expect-error - literals are typed as string
  query: (target) => send(target, () => api.BooksService.readQuery(5, true, ['a', 'b'])),
  'record in a query': (target) => send(target, () => api.FiltersService.readQueryRecord({ a: 1, b: 2 })),
  headers: (target) => send(target, () => api.TracesService.readHeaders('t1', ['a', 'b'])),
  cookie: (target) => send(target, () => api.ThemesService.readCookie('dark')),
  form: (target) => send(target, () => api.OrdersService.sendForm(ORDER)),
  multipart: (target) =>
    send(target, () => api.PicturesService.sendMultipart({ title: 'Tea', meta: { year: 2026 }, image: picture() })),
  // @ts-expect-error - literals are typed as string
  json: (target) => send(target, () => api.DrawingsService.sendJson(DRAWING)),
  events: (target) => send(target, () => api.TicksService.readEvents()),
  problem: async (target) => {
    try {
      await send(target, () => api.MissingService.readProblem())
    } catch (err) {
      return (err as api.ApiError).body
    }
    throw new Error('The response is no error')
  },
  bytes: async (target) => readBlob(await send(target, () => api.ThumbnailService.readBytes())),
  text: (target) => send(target, () => api.PoemService.readText()),
  nothing: async (target) => {
    await send(target, () => api.SessionService.removeNothing())
    return null
  },
  // @ts-expect-error - the data is a union with Problem, although errors are thrown
  'no operationId': async (target) => {
    to(target)
    return api.TeasService.teasGet()
  },
  version: (target) => send(target, () => api.PricesV2Service.readVersion('2.0.0')),
  'version in headers of the client': (target) =>
    // @ts-expect-error - a required header must be passed to each call
    send(target, () => api.PricesV2Service.readVersion()),
  // @ts-expect-error - a required header must be passed to each call
  'version in Accept': (target) => send(target, () => api.PricesV2Service.readVersion()),
}
