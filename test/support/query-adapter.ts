import { startCall } from 'verbena'

/** A database client with an adapter that is in another file than its callers. */
export class AdaptedClient {
  query(text: string): string {
    startCall({ kind: 'sql', text })?.end({ rows: 1 })
    return text
  }
}
