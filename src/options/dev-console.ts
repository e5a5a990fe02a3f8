/** The options of the console. */

/** How the console is set up; giving a record switches it on. */
export interface DevConsoleOptions {
  /** Addresses and networks (`'172.17.0.1'`, `'172.16.0.0/12'`) that may see it beside this machine; they need a `token`. */
  readonly allow?: readonly string[]
  /** Names that it may be reached by, beside `localhost` and the loopback addresses. */
  readonly allowedHosts?: readonly string[]
  /** A secret of 16 characters or more that everybody needs who wants to see it. */
  readonly token?: string
  /** Whether it may run where `NODE_ENV` is `production`; it needs a `token` there. */
  readonly allowInProduction?: boolean
  /** What is kept of bodies: `'text'` where they are text and secrets can be found in them, `'raw'` longer ones too, `'off'` none. */
  readonly captureBodies?: 'text' | 'off' | 'raw'
  /**
   * Whether lines of `console.log` and the like stand in the log of the console, each with its request; `false` unless given,
   * because it costs something at each `await` of the process.
   */
  readonly captureConsole?: boolean
  /** Paths of requests that are not recorded; `*` stands for anything. */
  readonly ignore?: readonly string[]
  /** From how many ms on a request is slow; 800 unless given. */
  readonly slow?: number
  /** From how many ms on a delay of the event loop is a stall; 200 unless given. */
  readonly stall?: number
  /** A link into an editor: `'vscode://file/{file}:{line}:{column}'`, with no scheme that browsers open themselves; none unless given. */
  readonly editor?: string
}
