/** Reads requests and log lines of an app. */
import type { InRun } from '../../devconsole/wire/describe-record.js'
import type { LogLine, RequestSummary } from '../../devconsole/wire/request-types.js'
import type { ShownRecord } from '../../devconsole/wire/view-types.js'
import type { DevRun } from '../dev/dev-state.js'

export interface RecordSource {
  /** Runs of the app, newest first; empty if they are not known. */
  readonly runs: readonly DevRun[]
  /** Whether the app serves requests. */
  readonly isRunning: boolean
  /** Origin of the app, such as `http://127.0.0.1:3000`; `null` if it does not run or has no port. */
  readonly origin: string | null
  /** Returns the requests that match a filter, newest first. */
  requests(where: string): Promise<readonly InRun<RequestSummary>[]>
  /** Returns all data of a request; `null` if it is not stored. */
  request(id: string): Promise<InRun<ShownRecord> | null>
  /** Returns the log lines, oldest first. */
  lines(): Promise<readonly InRun<LogLine>[]>
  /** Calls `onLine` for each new line until the other side ends. */
  follow(onLine: (line: InRun<LogLine>) => void): Promise<void>
}
