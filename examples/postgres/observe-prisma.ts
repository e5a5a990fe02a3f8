/** Reports the operations of a Prisma client to the console. */
import { observeCall } from 'verbena'

interface Operation {
  readonly model?: string
  readonly operation: string
  readonly args: unknown
  readonly query: (args: never) => Promise<unknown>
}

/** `prisma.$extends(observePrisma)` returns a client that reports its operations. */
export const observePrisma = {
  name: 'console',
  query: {
    async $allOperations({ model, operation, args, query }: Operation): Promise<unknown> {
      // After it, the stack contains the line that awaits the operation.
      await Promise.resolve()
      const call = { kind: 'prisma', text: model ? `${model}.${operation}` : operation, params: [args] }
      // Proof: the query gets its own arguments.
      const run = async () => query(args as never)
      return observeCall(call, run, (result) => ({
        rows: Array.isArray(result) ? result.length : Object(result).count,
      }))
    },
  },
}
