import { createApi, fetchBaseQuery, type FetchArgs } from '@reduxjs/toolkit/query'

/** The function that sends requests, which the client replaces for each target. */
export const place = { query: fetchBaseQuery({}) }

export const emptyApi = createApi({
  baseQuery: (request: string | FetchArgs, api, extra) => place.query(request, api, extra),
  endpoints: () => ({}),
})
