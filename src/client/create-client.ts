/** `createClient`: the typed client at run time. It knows nothing of the app: types alone lead from paths to contracts. */
import { readAnswer } from './answer.js'
import type { HeaderValues } from './ask-types.js'
import type { Client } from './client-types.js'
import { makeRequest, type Given } from './request.js'

/** What a client does with every call. */
export interface ClientOptions {
  /** Sends requests; the `fetch` of the platform unless given. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Header fields of every call; those of a call replace them. */
  readonly headers?: HeaderValues
}

/**
 * Makes a typed client of an app: `createClient<typeof app>(…)`, where `app` is imported as a type. Nothing of the app comes along.
 *
 * A call gives `{ ok, status, body, headers }`; `ok` is false where the answer is a problem. It fails where there is no answer:
 * with what `fetch` fails with, with the reason of `signal`, or with a `TimeoutError`.
 *
 * @param baseUrl where the API is, such as `https://example.com/api`; in browsers also a path
 * @param options how requests are sent, and header fields of all of them
 * @returns a function from the paths of the app to their endpoints
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { createClient } from 'verbena/client'
 *
 * class UserById extends Route {
 *   static readonly path = '/users/{id}'
 *   static readonly get = this.contract({ errors: [404] })
 *   async get({ params }: Input<typeof UserById.get>) {
 *     return { id: params.id }
 *   }
 * }
 * await using app = createApp({ routes: { UserById }, logger: false })
 * const { url } = await app.listen()
 *
 * const api = createClient<typeof app>(url)
 * const answer = await api('/users/{id}').get({ params: { id: 'ada' } })
 * answer.ok && answer.body.id // => 'ada'
 * ```
 */
export function createClient<A>(baseUrl: string, { fetch: send, headers }: ClientOptions = {}): Client<A> {
  const endpoint =
    (url: string, method: string) =>
    async (given: Given = {}) =>
      readAnswer(await (send ?? fetch)(makeRequest(url, method, headers, given)), given.as)
  const base = baseUrl.replace(/\/+$/, '')
  const endpoints = (path: string): unknown =>
    Object.fromEntries(VERBS.map((verb) => [verb, endpoint(base + path, verb.toUpperCase())]))
  // Proof: `Client` says of this function what the app behind the URL answers; that it is this app is its user's word.
  return endpoints as Client<A>
}

const VERBS: readonly string[] = 'get post put patch delete'.split(' ')
