import { startCall } from 'verbena'

/** A database client with an adapter that is in another file than its callers. */
export class AdaptedClient {
  query(text: string, stack?: string): string {
    startCall({ kind: 'sql', text, stack })?.end({ rows: 1 })
    return text
  }

  /** Sends the query when the stack contains only the adapter. */
  queryLater(text: string, stack?: string): Promise<string> {
    return new Promise((resolve) => setImmediate(() => resolve(this.query(text, stack))))
  }
}
