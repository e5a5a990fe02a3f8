/** What differs from one place to another: read from the environment, before anything starts. */
import { environment } from 'verbena'
import * as z from 'zod'
import { PORT } from './limits.js'

const Settings = z.object({
  DATABASE_URL: z.url(),
  REDIS_URL: z.url(),
  /** The first seals, all open: so a new key is put before the old one, and the old one goes when its last session has ended. */
  SESSION_KEYS: z.string().transform((text) => text.split(',')),
  /** The Unix socket on which nginx finds this process. Without one it listens on a port, as in a container. */
  SOCKET: z.string().optional(),
  PORT: z.int().min(1).max(65_535).default(PORT),
  /** Addresses of proxies, separated by commas; `unix` is who comes over the socket. */
  TRUST_PROXY: z.string().default(''),
  /** Orders that an account may place in a minute. */
  PURCHASES: z.int().min(1).default(20),
  /** The name of this process, for logs and for you to see who has answered. */
  NAME: z.string().default('shop'),
})

export const settings = environment(Settings)
