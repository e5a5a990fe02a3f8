/** oRPC. */
import { ORPCError, os } from '@orpc/server'
import { RPCHandler } from '@orpc/server/fetch'
import { HttpError } from 'verbena'
import { mount } from 'verbena/mount'
import * as z from 'zod'
import { tick } from './ticks.js'
import { viewer, type User } from './user.js'

const base = os.$context<{ viewer: User | undefined }>()

export const router = {
  viewer: base.handler(({ context }) => context.viewer),
  double: base.input(z.int()).handler(({ input }) => input * 2),
  hidden: base.handler(() => {
    throw new ORPCError('FORBIDDEN', { message: 'Not for you' })
  }),
  ticks: base.handler(({ signal }) => tick('orpc', signal ?? AbortSignal.abort())),
}

const handler = new RPCHandler(router)

/** @param prefix the path in `routes`, with the paths of its groups */
export function mountOrpc(prefix: `/${string}`) {
  return mount(
    async (request, { viewer }) => {
      const { response } = await handler.handle(request, { prefix, context: { viewer } })
      if (response === undefined) throw new HttpError(404)
      return response
    },
    { uses: { viewer } },
  )
}
