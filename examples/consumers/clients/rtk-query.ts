import { configureStore } from '@reduxjs/toolkit'
import { fetchBaseQuery } from '@reduxjs/toolkit/query'
import { picture, DRAWING, ORDER, type Calls, type Target } from '../calls.js'
import { api, type TeasGetResponse } from '../generated/rtk-query/index.js'
import { place } from './rtk-query-base.js'

const store = configureStore({
  reducer: { [api.reducerPath]: api.reducer },
  middleware: (defaults) => defaults({ serializableCheck: false }).concat(api.middleware),
})
const { endpoints } = api

function to({ base, headers = {} }: Target): { readonly forceRefetch: true } {
  place.query = fetchBaseQuery({
    baseUrl: base,
    prepareHeaders: (sent) => {
      for (const [name, value] of Object.entries(headers)) sent.set(name, value)
    },
  })
  return { forceRefetch: true }
}

function requireData<Data>({ data, error }: { readonly data?: Data; readonly error?: unknown }): Data {
  if (error !== undefined) throw new Error('The response is an error', { cause: error })
  return data as Data
}

export const calls: Calls = {
  path: async (target) =>
    requireData(await store.dispatch(endpoints.readPath.initiate({ shelf: 'a/b c', id: 7 }, to(target)))),
  'list in a path': async (target) =>
    requireData(await store.dispatch(endpoints.readPathList.initiate({ ids: [1, 2] }, to(target)))),
  query: async (target) =>
    requireData(
      await store.dispatch(endpoints.readQuery.initiate({ limit: 5, exact: true, tag: ['a', 'b'] }, to(target))),
    ),
  'record in a query': async (target) =>
    requireData(await store.dispatch(endpoints.readQueryRecord.initiate({ others: { a: 1, b: 2 } }, to(target)))),
  headers: async (target) =>
    requireData(
      await store.dispatch(endpoints.readHeaders.initiate({ 'x-trace': 't1', 'x-tags': ['a', 'b'] }, to(target))),
    ),
  cookie: async (target) =>
    requireData(await store.dispatch(endpoints.readCookie.initiate({ theme: 'dark' }, to(target)))),
  form: async (target) => {
    to(target)
    return requireData(await store.dispatch(endpoints.sendForm.initiate({ body: ORDER })))
  },
  multipart: async (target) => {
    to(target)
    const body = { title: 'Tea', meta: { year: 2026 }, image: picture() }
    return requireData(await store.dispatch(endpoints.sendMultipart.initiate({ body })))
  },
  json: async (target) => {
    to(target)
    return requireData(await store.dispatch(endpoints.sendJson.initiate({ drawingInput: DRAWING })))
  },
  events: async (target) => requireData(await store.dispatch(endpoints.readEvents.initiate(undefined, to(target)))),
  problem: async (target) => {
    const { error } = await store.dispatch(endpoints.readProblem.initiate(undefined, to(target)))
    // The error has no type.
    return (error as { data: { status: number; detail: string } }).data
  },
  bytes: async (target) =>
    new Uint8Array(
      await requireData(await store.dispatch(endpoints.readBytes.initiate(undefined, to(target)))).arrayBuffer(),
    ),
  text: async (target) => requireData(await store.dispatch(endpoints.readText.initiate(undefined, to(target)))),
  nothing: async (target) => {
    to(target)
    requireData(await store.dispatch(endpoints.removeNothing.initiate()))
    return null
  },
  // The name of the operation is a path, because an operationId with a dot is not used.
  'no operationId': async (target): Promise<TeasGetResponse> =>
    requireData(await store.dispatch(endpoints.getTeas.initiate(undefined, to(target)))),
  version: async (target) =>
    requireData(await store.dispatch(endpoints.readVersion.initiate({ 'accept-version': '2.0.0' }, to(target)))),
  'version in headers of the client': async (target) =>
    // @ts-expect-error - a required header must be passed to each call
    requireData(await store.dispatch(endpoints.readVersion.initiate({}, to(target)))),
  'version in Accept': async (target) =>
    // @ts-expect-error - a required header must be passed to each call
    requireData(await store.dispatch(endpoints.readVersion.initiate({}, to(target)))),
}
