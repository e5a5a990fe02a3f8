/** Apps with one endpoint whose providers record how they end. */
import { provide, Route, type AnyProvider, type App, type Context } from 'verbena'
import { captureLog, createUntypedApp, type Line } from '#test/apps.js'

/** Providers, method and options of an app with one endpoint. */
export interface Probe {
  readonly uses: Readonly<Record<string, AnyProvider>>
  readonly method: (input: Context) => unknown
  readonly spec?: object
  readonly options?: object
}

export interface ProbedApp {
  readonly app: App
  readonly lines: readonly Line[]
}

/** Creates an app with one endpoint, `GET /probe`. */
export function createProbedApp({ uses, method, spec = {}, options = {} }: Probe): ProbedApp {
  class Probe extends Route {
    static readonly get = this.contract({ uses, ...spec })
    get(input: Context) {
      return method(input)
    }
  }
  const { logger, lines } = captureLog()
  return { app: createUntypedApp({ routes: { Probe }, logger, signals: false, ...options }), lines }
}

/** Creates a provider of a transaction that records begin, commit and rollback in `log`. */
export function transaction(
  log: string[],
  options: { isAsync?: boolean; ends?: 'after-response'; atCommit?: () => unknown } = {},
) {
  const { isAsync = true, ends, atCommit } = options
  function* plain() {
    log.push('begin')
    try {
      yield 'tx'
      log.push('commit')
      atCommit?.()
    } catch (error) {
      log.push(`rollback ${error instanceof Error ? error.name : String(error)}`)
      throw error
    }
  }
  async function* later() {
    await Promise.resolve()
    yield* plain()
  }
  return provide(
    {},
    () => (isAsync ? later() : plain()) as Generator<string, void, void>,
    ends === undefined ? {} : { ends },
  )
}

/** Returns the level and message of each log line. */
export const logLevels = (lines: readonly Line[]): unknown[] => lines.map(({ level, message }) => [level, message])
