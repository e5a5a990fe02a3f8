/** Settings of each environment, read and validated at startup. */
import { environment } from 'verbena'
import * as z from 'zod'
import { PORT } from './limits.js'

const Schema = z.object({
  DATABASE_URL: z.url(),
  REDIS_URL: z.url(),
  /** The first key seals cookies; all keys open them. To rotate, add the new key first, and remove the old one after its last session. */
  SESSION_KEYS: z.string().transform((text) => text.split(',')),
  /** Path of the Unix socket for nginx. Without it, the process listens on a port, as in a container. */
  SOCKET: z.string().optional(),
  PORT: z.int().min(1).max(65_535).default(PORT),
  /** Addresses of trusted proxies, separated by commas; `unix` trusts clients of the socket. */
  TRUST_PROXY: z.string().default(''),
  /** Maximum number of orders per account and minute. */
  PURCHASES: z.int().min(1).default(20),
  /** Name of this process, for logs and the header `x-served-by`. */
  NAME: z.string().default('shop'),
})

export type Settings = z.output<typeof Schema>
export const settings: Settings = environment(Schema)
