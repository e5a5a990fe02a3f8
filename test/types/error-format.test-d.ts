/** The format of errors: parameters and result of `write`, and the types in the client. */
import {
  createApp,
  group,
  HttpError,
  json,
  reply,
  Route,
  type ErrorFormat,
  type KnownErrorStatus,
  type Problem,
  type UnauthorizedReason,
} from 'verbena'
import { createClient, type Failure, type OtherFailure, type Success } from 'verbena/client'
import { testApp } from 'verbena/testing'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import { sameType } from './same-type.js'

const ByField = z.object({ errors: z.record(z.string(), z.array(z.string())), at: z.date().transform(String) })
const byField = (_problem: Problem) => ({ errors: {}, at: new Date() })
interface ByField {
  errors: Record<string, string[]>
  at: string
}

export class Seats extends Route {
  static readonly path = '/seats'
  static readonly get = this.contract({ returns: z.string() })
  async get() {
    return 'a'
  }
  static readonly post = this.contract({
    returns: {
      201: z.string(),
      409: z.object({ seat: z.string() }),
      404: json(z.number(), { headers: z.object({ etag: z.string() }) }),
    },
    errors: { 409: z.object({ other: z.string() }), 410: z.object({ since: z.string() }), 499: 'Odd' },
  })
  async post() {
    return reply(201, 'a')
  }
}
export class Plain extends Route {
  get() {
    return 1
  }
}

const app = createApp({
  routes: {
    Seats,
    '/v1': group({
      errorFormat: { schema: z.object({ v1: z.boolean() }), write: () => ({ v1: true }) },
      routes: {
        Plain,
        '/inner': group({
          errorFormat: { schema: v.object({ inner: v.string() }), write: ({ title }) => ({ inner: title }) },
          routes: { Plain },
        }),
        '/none': group({ routes: { Plain } }),
      },
    }),
  },
  errorFormat: { mediaType: 'application/json', schema: ByField, write: byField },
})
const api = createClient<typeof app>('http://localhost')

export async function bodies() {
  const got = await api('/seats').get()
  sameType<typeof got, Success<200, string> | Failure<KnownErrorStatus, ByField>>()
  if (!got.ok) void got.body.errors['name']?.[0]

  const posted = await api('/seats').post()
  if (posted.status === 409) {
    sameType<typeof posted, Failure<409, { seat: string }>>()
  } else if (posted.status === 404) {
    const etag: string = posted.headers.get('etag')
    void etag
    sameType<typeof posted.body, number>()
  } else if (!posted.ok) {
    sameType<typeof posted, OtherFailure<404 | 409, ByField> | Failure<499, ByField>>()
  } else sameType<typeof posted, Success<201, string>>()

  const inV1 = await api('/v1/plain').get()
  sameType<typeof inV1, Success<200, number> | Failure<KnownErrorStatus, { v1: boolean }>>()
  const inner = await api('/v1/inner/plain').get()
  sameType<typeof inner, Success<200, number> | Failure<KnownErrorStatus, { inner: string }>>()
  const none = await api('/v1/none/plain').get()
  sameType<typeof none, Success<200, number> | Failure<KnownErrorStatus, { v1: boolean }>>()

  const test = await testApp(app)
  const tested = await test.api('/seats').get()
  sameType<typeof tested, typeof got>()
}

export async function withoutFormat() {
  const plain = createApp({ routes: { Seats } })
  const answer = await createClient<typeof plain>('http://localhost')('/seats').post()
  if (answer.status === 410) void answer.body.since.length
  if (answer.status === 409) sameType<typeof answer, Failure<409, { seat: string }>>()
  if (answer.status === 422) void answer.body.errors?.map(({ in: part, pointer }) => part + pointer)
}

export async function versions() {
  const given = createApp({
    routes: {
      old: group({ errorFormat: { schema: type({ old: 'string' }), write: () => ({ old: 'a' }) }, routes: { Plain } }),
      ...{ Seats },
    },
  })
  const client = createClient<typeof given>('http://localhost')
  const old = await client('/plain').get()
  sameType<typeof old, Success<200, number> | Failure<KnownErrorStatus, { old: string }>>()
  const seats = await client('/seats').get()
  sameType<typeof seats, Success<200, string> | Failure>()
}

export function mistakes() {
  const schema = z.object({ code: z.number() })
  // @ts-expect-error - what is written does not follow the schema
  createApp({ routes: { Plain }, errorFormat: { schema, write: () => ({ code: 'a' }) } })
  // @ts-expect-error - nor does this one of a group
  group({ routes: { Plain }, errorFormat: { schema, write: ({ title }) => ({ code: title }) } })
  // @ts-expect-error - it cannot wait
  createApp({ routes: { Plain }, errorFormat: { schema, write: async () => ({ code: 1 }) } })
  // @ts-expect-error - no schema
  createApp({ routes: { Plain }, errorFormat: { write: () => ({ code: 1 }) } })
  // @ts-expect-error - something else than a schema
  createApp({ routes: { Plain }, errorFormat: { schema: { code: 1 }, write: () => ({ code: 1 }) } })
  // @ts-expect-error - no function
  createApp({ routes: { Plain }, errorFormat: { schema } })
  // @ts-expect-error - a misspelt key
  createApp({ routes: { Plain }, errorFormat: { schema, write: () => ({ code: 1 }), mediatype: 'a' } })
  // The second parameter is the error, with the reason of a 401.
  createApp({
    routes: { Plain },
    errorFormat: {
      schema: z.object({ why: z.string() }),
      write: (_problem, error) => {
        sameType<typeof error.reason, UnauthorizedReason | undefined>()
        return { why: error.reason ?? 'unknown' }
      },
    },
  })
  const own: ErrorFormat<typeof schema> = { schema, write: ({ status }) => ({ code: status }) }
  createApp({ routes: { Plain }, errorFormat: own })
}

export function mapping() {
  createApp({
    routes: { Plain },
    mapError: (error) => {
      if (!(error instanceof HttpError)) return undefined
      sameType<typeof error.source, 'framework' | 'handler'>()
      return new HttpError(error.status, error.issues.map(({ pointer, message }) => pointer + message).join())
    },
  })
}
