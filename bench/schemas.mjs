/** The zod schemas of several servers. */
import * as z from 'zod'

// Must precede every schema. Servers create their schemas after the import of this module.
if (process.env['ZOD_COMPILED'] === 'true') await import('zod/compile')

export const NewUser = z.object({
  name: z.string().min(1).max(50),
  email: z.string().min(3).max(100),
  age: z.number().int().min(0),
  tags: z.array(z.string()),
})

export const Items = z.array(
  z.object({
    id: z.number(),
    name: z.string(),
    price: z.number(),
    available: z.boolean(),
    tags: z.array(z.string()),
  }),
)
