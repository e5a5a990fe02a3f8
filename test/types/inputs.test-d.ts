/** Inputs of handlers. */
import { createApp, Route, type Context, type Input } from 'verbena'
import type { Flat } from '#src/context/types.js'
import type { RawQueryValues } from '#src/route/route-types.js'
import * as z from 'zod'
import { sameType } from './same-type.js'

const Page = z.object({ limit: z.coerce.number().default(10) })
const Note = z.object({ text: z.string().transform((text) => text.length) })

abstract class OrgRoute extends Route {
  static readonly prefix = '/orgs/{org}'
}

export class Notes extends OrgRoute {
  static readonly path = '/notes/{id}/{rest...}'
  static readonly get = this.contract({ query: Page })
  async get({ params, query, request, response, signal, log }: Input<typeof Notes.get>) {
    sameType<typeof params, { org: string; id: string; rest: string }>()
    sameType<typeof query, { limit: number }>()
    response.header('x-id', request.id)
    response.append('vary', 'Origin')
    response.cookie('a', null)
    response.after(() => 1)
    log.info({ aborted: signal.aborted }, 'read')
    return params.org + params.id + params.rest
  }

  static readonly put = this.contract({ body: Note })
  async put(input: Input<typeof Notes.put>) {
    sameType<Flat<Omit<typeof input, keyof Context>>, { body: { text: number }; params: typeof input.params }>()
    // @ts-expect-error - no query in this contract
    void input.query
    // @ts-expect-error - no headers in this contract: they are on the request
    void input.headers
    // @ts-expect-error - the request is read-only
    input.request.path = '/'
    // @ts-expect-error - the template has no such parameter
    return input.params.ide
  }

  static readonly post = this.contract({ params: z.object({ id: z.coerce.number() }) })
  async post({ params }: Input<typeof Notes.post>) {
    sameType<typeof params, { id: number }>()
    return params.id
  }
}

export class Sources extends Route {
  static readonly get = this.contract({
    headers: z.object({ 'x-key': z.string() }),
    cookies: z.object({ session: z.string().optional() }),
  })
  async get({ headers, cookies, params }: Input<typeof Sources.get>) {
    sameType<typeof headers, { 'x-key': string }>()
    sameType<typeof cookies.session, string | undefined>()
    sameType<typeof params, {}>()
    return headers['x-key']
  }
}

/** Without a contract the input is raw. */
export class Plain extends Route {
  async get({ query, params }: Input) {
    sameType<typeof query, RawQueryValues>()
    sameType<typeof params, { [name: string]: string }>()
    return query['a']
  }
  async post({ body }: Input) {
    // @ts-expect-error - nobody has looked at this body
    return body.name
  }
  async put() {
    return 1
  }
}

/** A path that is not `readonly` is only a string: its parameters are not known. */
export class Loose extends Route {
  static path = '/x/{id}'
  static readonly get = this.contract({})
  async get({ params }: Input<typeof Loose.get>) {
    // @ts-expect-error - path is not readonly
    return params.id
  }
}

export class Instance extends Route {
  // @ts-expect-error - path is static
  override path = '/x'
  async get() {
    return 1
  }
}

createApp({ routes: { Notes, Sources, Plain } })
