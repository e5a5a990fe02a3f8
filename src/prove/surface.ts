/** `surface`: everything that an app exposes, as text for a file. */
import { RunningApp, type AppParts } from '../app/running-app.js'
import type { App } from '../app/app-types.js'
import { startStackAtCaller } from '../errors/author-calls.js'
import { describeForeign } from '../errors/copies.js'
import { argumentError } from '../errors/options.js'
import { describeAccess } from './surface-access.js'
import { formatHeading, listEndpoints } from './surface-endpoints.js'
import { wrapLine } from './surface-text.js'

startStackAtCaller(surface)

/** Version of the format. It changes only with the format, so that a release of Verbena does not change the files of its users. */
export const FIRST_LINE = 'verbena surface 1'

/**
 * Returns what an app exposes, for a file beside your code. A change of the file in a pull request is a change of who may call what.
 *
 * @param app app of `createApp`; it is not started
 * @returns lines that end with LF; the first line is the format with its version
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { bearer, createApp, Route } from 'verbena'
 * import { surface } from 'verbena/prove'
 *
 * class Tasks extends Route {
 *   static readonly uses = { user: bearer((token) => token === 'a1b2') }
 *   static readonly delete = this.contract({ returns: null })
 *   async delete() {}
 * }
 * const app = createApp({ routes: { Tasks }, openapi: false, devConsole: false })
 * surface(app) // => 'verbena surface 1\n\nDELETE /tasks\n  guard user of class Tasks: http bearer\n'
 * ```
 */
export function surface(app: App): string {
  return formatSurface(requireParts(app, 'surface()'))
}

/** Formats the surface of an app. */
export function formatSurface(parts: AppParts): string {
  const blocks = listEndpoints(parts).map((place) => {
    return [formatHeading(place), ...describeAccess(place).map((line) => `  ${line}`)]
  })
  const lines = blocks.map((block) => block.flatMap(wrapLine).join('\n'))
  return `${[FIRST_LINE, ...lines].join('\n\n')}\n`
}

function requireParts(app: unknown, owner: string): AppParts {
  const parts = RunningApp.partsOf(app)
  if (parts !== undefined) return parts
  const foreign = describeForeign(app)
  const why = 'it must be an app of "createApp". Pass the return value of "createApp"'
  throw argumentError(owner, 'app', foreign === undefined ? why : `it is ${foreign}`)
}
