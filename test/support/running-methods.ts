/** Apps with one endpoint, whose provider records when the method writes and when the cleanup runs. */
import { provide, Route, type App, type Context, type Middleware } from 'verbena'
import { captureLog, createGate, createUntypedApp, type Line } from '#test/apps.js'

/** Value of the provider `ledger`. */
interface Ledger {
  write(text: string): void
}

/** An app whose method writes `late` when `finish` is called. */
export interface Running {
  readonly app: App
  readonly lines: readonly Line[]
  /** `begin`, `write …` and `end …`, in the order in which they happened. */
  readonly log: string[]
  /** Resolves when the method is running. */
  readonly begun: Promise<void>
  readonly finish: () => void
}

export interface RunningOptions {
  readonly ends?: 'before-response' | 'after-response'
  readonly isAsync?: boolean
  /** Wraps `late`, which waits for `finish` and writes. Default: the method awaits it. */
  readonly method?: (late: () => Promise<string>, input: Context) => unknown
  readonly spec?: object
  readonly app?: object
  readonly middleware?: readonly Middleware[]
}

/** Creates an app with the endpoint `/probe`. */
export function createRunning(options: RunningOptions): Running {
  const { ends = 'before-response', isAsync = true, method = (late) => late(), spec = {}, app = {} } = options
  const log: string[] = []
  const [begun, finished] = [createGate(), createGate()]
  const ledger = provide({}, () => (isAsync ? keepAsync(log) : keepSync(log)) as Generator<Ledger>, { ends } as object)
  class Probe extends Route {
    static readonly middleware = options.middleware ?? []
    static readonly get = this.contract({ uses: { ledger }, ...spec })
    get(input: Context & { readonly ledger: Ledger }) {
      const late = async (): Promise<string> => {
        begun.open()
        await finished.opened
        input.ledger.write(`late, ${input.signal.aborted ? 'aborted' : 'not aborted'}`)
        return 'late'
      }
      return method(late, input)
    }
  }
  const { logger, lines } = captureLog()
  const running = createUntypedApp({ routes: { Probe }, logger, signals: false, ...app })
  return { app: running, lines, log, begun: begun.opened, finish: () => finished.open() }
}

function* keepSync(log: string[]): Generator<Ledger, void, void> {
  log.push('begin')
  try {
    yield { write: (text) => void log.push(`write ${text}`) }
    log.push('end')
  } catch (error) {
    log.push(`end ${error instanceof Error ? error.name : String(error)}`)
    throw error
  }
}

async function* keepAsync(log: string[]): AsyncGenerator<Ledger, void, void> {
  await Promise.resolve()
  yield* keepSync(log)
}
