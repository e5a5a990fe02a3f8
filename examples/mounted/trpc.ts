/** tRPC. */
import { initTRPC, TRPCError } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { mount } from 'verbena/mount'
import * as z from 'zod'
import { tick } from './ticks.js'
import { viewer, type User } from './user.js'

const t = initTRPC.context<{ viewer: User | undefined }>().create()

export const router = t.router({
  viewer: t.procedure.query(({ ctx }) => ctx.viewer),
  double: t.procedure.input(z.int()).mutation(({ input }) => input * 2),
  hidden: t.procedure.query(() => {
    throw new TRPCError({ code: 'FORBIDDEN', message: 'Not for you' })
  }),
  ticks: t.procedure.subscription(({ signal }) => tick('trpc', signal ?? AbortSignal.abort())),
})

/** @param path the path in `routes`, with the paths of its groups */
export function mountTrpc(path: string) {
  return mount(
    (request, { viewer }) =>
      fetchRequestHandler({ endpoint: path, req: request, router, createContext: () => ({ viewer }) }),
    { uses: { viewer } },
  )
}
