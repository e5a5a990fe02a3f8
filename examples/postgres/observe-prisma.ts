/** Reports the operations of a Prisma client to the console. */
import { observeCall, type OutgoingCall } from 'verbena'

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
    async $allOperations({ query, ...operation }: Operation): Promise<unknown> {
      // After it, the stack contains the line that awaits the operation.
      await Promise.resolve()
      // Proof: the query gets its own arguments.
      const run = async () => query(operation.args as never)
      return observeCall(describe(operation), run, (result) => ({
        rows: Array.isArray(result) ? result.length : Object(result).count,
      }))
    },
  },
}

/** The arguments of raw SQL are a template, or a string and its values. */
function describe({ model, operation, args }: Omit<Operation, 'query'>): OutgoingCall {
  const { strings, values } = Object(args)
  const write = (text: string, index: number) => (index === 0 ? text : `$${index}${text}`)
  if (Array.isArray(strings)) return { kind: 'sql', text: strings.map(write).join(''), params: values }
  if (Array.isArray(args)) return { kind: 'sql', text: String(args[0]), params: args.slice(1) }
  return { kind: 'prisma', text: model ? `${model}.${operation}` : operation, params: [args] }
}
