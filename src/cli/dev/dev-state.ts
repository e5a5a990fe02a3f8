/** The format in which `verbena dev` sends its records to the commands beside it. */
import type { Incident } from '../../devconsole/wire/feed-types.js'
import type { CodePlace, LogLine, SourceExcerpt } from '../../devconsole/wire/request-types.js'
import type { ShownRecord } from '../../devconsole/wire/view-types.js'

/** Version of the format. A command of another version reports it instead of reading the state. */
export const STATE_VERSION = 1

/** An unexpected end of the app, or saved code that does not start. */
export interface DevFailure {
  /** In ms since 1970. */
  readonly time: number
  /** `The saved code does not start (exit code 1)`. */
  readonly message: string
  /** The last output on standard error, without secrets. */
  readonly output: string
  /** The first position in a file of the project that the output names. */
  readonly place: CodePlace | null
  /** Its line, with one line before and after it. */
  readonly source: SourceExcerpt | null
}

/** A process of the app, from its start to its end. */
export interface DevRun {
  /** Counted from 1. */
  readonly number: number
  readonly pid: number
  /** In ms since 1970. */
  readonly started: number
  /** `null` while it runs. */
  readonly ended: number | null
  readonly failure: DevFailure | null
}

/** An item of a run. */
export type OfRun<Item> = Item & { readonly run: number }

/** Everything that `verbena dev` stores; secrets are replaced. All lists begin with the newest item. */
export interface DevState {
  readonly v: typeof STATE_VERSION
  /** Process id of `verbena dev`. */
  readonly pid: number
  /** The file that it runs. */
  readonly file: string
  /** Whether code of the app serves requests. */
  readonly isRunning: boolean
  /** Origins of the app's HTTP servers, such as `http://127.0.0.1:3000`. */
  readonly origins: readonly string[]
  readonly runs: readonly DevRun[]
  readonly records: readonly OfRun<ShownRecord>[]
  readonly lines: readonly OfRun<LogLine>[]
  /** Problems without a single request, such as a blocked event loop. */
  readonly incidents: readonly OfRun<Incident>[]
  /** Number of records that were too large or too many. */
  readonly dropped: number
}
