/** Apps of one endpoint whose providers write down how they end. */
import { provide, Route, type AnyProvider, type App, type Context } from 'verbena'
import { captureLog, createUntypedApp, type Line } from '#test/apps.js'

/** What an app of one endpoint is made of. */
export interface Probe {
  readonly uses: Readonly<Record<string, AnyProvider>>
  readonly method: (input: Context) => unknown
  readonly spec?: object
  readonly options?: object
}

/** An app, and the lines of its log. */
export interface ProbedApp {
  readonly app: App
  readonly lines: readonly Line[]
}

/** Makes an app of one endpoint. */
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

/** A transaction that writes down how it ends. */
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

/** Levels and messages of a log. */
export const levelsOf = (lines: readonly Line[]): unknown[] => lines.map(({ level, message }) => [level, message])
