/** Middleware, and the author's own data (`Meta`), which it sees. */
import { createApp, group, Route, type Middleware, type MiddlewareContext, type Reply } from 'verbena'

declare module 'verbena' {
  interface Meta {
    readonly owner?: string
  }
}

const timing: Middleware = async ({ request, response, endpoint, log }, next) => {
  const answer: Reply = await next()
  const owner: string | undefined = endpoint?.meta.owner
  const id: string | undefined = endpoint?.params['id']
  response.after(() => log.info({ owner, id, failed: answer.error !== undefined }, request.path))
  return answer.with({ 'x-owner': owner ?? null })
}

export class Owned extends Route {
  static readonly middleware = [timing]
  static readonly get = this.contract({ meta: { owner: 'ann' } })
  async get() {
    return 1
  }
  // @ts-expect-error - `ownr` for `owner`
  static readonly put = this.contract({ meta: { ownr: 'ann' } })
  // @ts-expect-error - not a text
  static readonly post = this.contract({ returns: null, meta: { owner: 1 } })
}
class Plain extends Route {
  async get() {
    return 1
  }
}

createApp({
  middleware: [timing, (_context, next) => next()],
  routes: { '/v1': group({ middleware: [timing], routes: { Plain } }) },
})

// @ts-expect-error - the answer of next is lost
export const forgets: Middleware = async (_context, next) => {
  await next()
}
// @ts-expect-error - next takes nothing
export const gives: Middleware = (context, next) => next(context)
// @ts-expect-error - there may be no endpoint
export const careless = ({ endpoint }: MiddlewareContext): string => endpoint.path
// @ts-expect-error - middleware has no body: it is not read yet
export const nosy = ({ body }: MiddlewareContext): unknown => body
// @ts-expect-error - a list
createApp({ middleware: timing, routes: { Plain } })
