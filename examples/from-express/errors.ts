/** The errors of the Express app as an `errorFormat`, so that clients see no difference. */
import type { Problem } from 'verbena'
import * as z from 'zod'

export const errorFormat = {
  mediaType: 'application/json',
  schema: z.object({ error: z.string() }),
  write: ({ status, title, detail = title }: Problem) => ({ error: status === 500 ? 'Something went wrong' : detail }),
}
