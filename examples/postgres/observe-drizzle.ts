/** Reports the statements of Drizzle to the console, without time, rows and errors. */
import type { Logger } from 'drizzle-orm/logger'
import { startCall } from 'verbena'

/** `drizzle(client, { logger: queryLogger })` */
export const queryLogger: Logger = {
  logQuery: (text, params) => startCall({ kind: 'sql', text, params })?.end(),
}
