/** The console of an app. Its modules are loaded when the app starts to listen, and only if the console is enabled. */
import type { NodeExchange } from '../http/node-exchange.js'
import type { ConsoleHost, HostedApp } from './host/console-host.js'
import type { ConsoleState } from './host/console-state.js'
import type { MountedConsole } from './serve/mount.js'
import type { RunFile } from './store/run-file.js'

export class DevConsole {
  readonly state: ConsoleState
  readonly #host: () => ConsoleHost | Promise<ConsoleHost>
  #mounted: MountedConsole | null = null
  #isClosed = false

  constructor(state: ConsoleState, host: () => ConsoleHost | Promise<ConsoleHost>) {
    this.state = state
    this.#host = host
  }

  async load(): Promise<void> {
    if (this.state === 'off' || this.#mounted !== null) return
    const host = await this.#host()
    const Mounted = await loadMounted(host)
    if (Mounted === null) return
    const runFile = await openRunFile(host)
    if (!this.#isClosed) this.#mounted = new Mounted(host, runFile)
  }

  /** Responds to a request for the console. Returns `false` for any other request. */
  takes(exchange: NodeExchange): boolean {
    return this.#mounted !== null && this.#mounted.respondsTo(exchange)
  }

  opened(url: string | undefined): void {
    this.#mounted?.opened(url)
  }

  close(): void {
    this.#isClosed = true
    this.#mounted?.close()
    this.#mounted = null
  }
}

/** Loads the code that serves the console. Returns `null` in a checkout whose page is not built, because git ignores the page. */
async function loadMounted({ print }: ConsoleHost): Promise<typeof MountedConsole | null> {
  try {
    /* c8 ignore next -- the test runner compiles an import to an additional branch */
    return (await import('./serve/mount.js')).MountedConsole
  } catch (error) {
    /* c8 ignore next -- a test cannot break other modules of the console */
    if (!String(error).includes('page.generated.js')) throw error
    print('warn', 'Cannot serve the console: its page is not built. Run npm run build:console')
    return null
  }
}

/** Reads the file of `keep`. Without the option, its code is not loaded. */
async function openRunFile({ options, name, print }: ConsoleHost): Promise<RunFile | null> {
  if (options.keep === undefined) return null
  /* c8 ignore next -- as above */
  const { RunFile } = await import('./store/run-file.js')
  const file = new RunFile({ path: options.keep, app: name, warn: (message) => print('warn', message) })
  await file.read()
  return file
}

export async function loadHost(app: HostedApp): Promise<ConsoleHost> {
  /* c8 ignore next -- as above */
  const { consoleHost } = await import('./host/console-host.js')
  return consoleHost(app)
}
