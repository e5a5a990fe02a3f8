/** `surface`: everything that an app exposes, as text for a file. */
import { RunningApp, type AppParts } from '../app/running-app.js'
import type { App } from '../app/app-types.js'
import { startStackAtCaller } from '../errors/author-calls.js'
import { describeForeign } from '../errors/copies.js'
import { argumentError } from '../errors/options.js'
import { describeAccess } from './surface-access.js'
import {
  consoleBlock,
  findKind,
  formatHeading,
  listSurfaceEndpoints,
  sortKey,
  type SurfaceBlock,
} from './surface-endpoints.js'
import { FieldReader, type SurfaceField } from './surface-fields.js'
import { MARKS } from './surface-schema.js'
import { byCodeUnit, wrapSurfaceLine } from './surface-text.js'

startStackAtCaller(surface, surfaceFields)

/** Version of the format. It changes only with the format, so that a release of Verbena does not change the files of its users. */
export const FIRST_LINE = 'verbena surface 1'

/**
 * Returns the endpoints of an app with their guards and fields, for a file beside your code. A pull request that changes the file changes
 * access or data.
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
 * surface(app) // => 'verbena surface 1\n\nDELETE /tasks\n  guard user of class Tasks: http bearer\n  out 204 body (empty)\n'
 * ```
 */
export function surface(app: App): string {
  return formatSurface(requireParts(app, 'surface()'))
}

/** Formats the surface of an app. */
export function formatSurface(parts: AppParts): string {
  const texts = listBlocks(parts).map(({ heading, access, incoming, leaving }) => {
    const lines = [...access, ...incoming.map(formatIncoming), ...leaving.map(formatLeaving)]
    return [heading, ...lines.map((line) => `  ${line}`)].flatMap(wrapSurfaceLine).join('\n')
  })
  return `${[FIRST_LINE, ...texts].join('\n\n')}\n`
}

/** Returns the blocks of all endpoints and of the console, sorted. */
function listBlocks(parts: AppParts): SurfaceBlock[] {
  const reader = new FieldReader(parts.preparation.converters)
  const blocks = listSurfaceEndpoints(parts).map((place): SurfaceBlock => {
    const { endpoint } = place
    const kind = findKind(place)
    const [incoming, leaving] = [reader.incoming(endpoint, kind), reader.leaving(endpoint, kind)]
    return { key: sortKey(place), heading: formatHeading(place), access: describeAccess(place), incoming, leaving }
  })
  return [...blocks, ...consoleBlock(parts)].toSorted((one, other) => byCodeUnit(one.key, other.key))
}

function formatIncoming({ source, path, notes }: SurfaceField): string {
  return formatField(['in', source], path, notes)
}

function formatLeaving({ status, source, path, notes }: SurfaceField): string {
  return formatField(['out', ...(status === null ? [] : [String(status)]), source], path, notes)
}

function formatField(words: readonly string[], path: string, notes: readonly string[]): string {
  const end = notes.length === 0 ? [] : [`(${notes.join(', ')})`]
  return [...words, ...(path === '' ? [] : [path]), ...end].join(' ')
}

/** A field, and the responses that contain it. */
export interface LeavingField {
  /** Name of the property, the header or the cookie; `*` for names that a schema does not contain, empty for a value without a name. */
  readonly field: string
  /** Marks of its schemas: `personal`, `secret`. */
  readonly marks: readonly string[]
  /** The responses, in the order of the surface. */
  readonly leaves: readonly LeavingPlace[]
}

/** A response that contains a field. */
export interface LeavingPlace {
  /** Endpoint, as in the surface: `GET /users/{id}`. */
  readonly by: string
  /** Status; `errors` for all errors in a custom format, `null` for messages after an upgrade. */
  readonly status: number | 'errors' | null
  /** `body`, `headers` or `events`. */
  readonly source: string
  /** Path of the field, such as `users[].email`. */
  readonly path: string
  /** `undescribed`, `recursive` or `incomplete`, if the fields of the value are not all known. */
  readonly notes: readonly string[]
  /** Guards of the endpoint, `public by …` or `no guard`, as in the surface. */
  readonly for: readonly string[]
}

/**
 * Returns the fields that leave an app by name, each with the endpoints and statuses by which it leaves, and their guards.
 *
 * @param app app of `createApp`; it is not started
 * @returns fields, sorted by name
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { bearer, createApp, Route, text } from 'verbena'
 * import { surfaceFields } from 'verbena/prove'
 *
 * class Report extends Route {
 *   static readonly uses = { user: bearer((token) => token === 'a1b2') }
 *   static readonly get = this.contract({ returns: text() })
 *   async get() {
 *     return 'All is well'
 *   }
 * }
 * const app = createApp({ routes: { Report }, openapi: false })
 * const [body] = surfaceFields(app)
 * body?.leaves.map(({ by, status }) => `${by} ${status}`) // => ['GET /report 200']
 * body?.leaves[0]?.for // => ['guard user of class Report: http bearer']
 * ```
 */
export function surfaceFields(app: App): LeavingField[] {
  return groupFields(requireParts(app, 'surfaceFields()'))
}

export function groupFields(parts: AppParts): LeavingField[] {
  const fields = new Map<string, { marks: Set<string>; leaves: LeavingPlace[] }>()
  for (const { heading, access, leaving } of listBlocks(parts)) {
    for (const { name, notes, status, source, path } of leaving) {
      const field = fields.get(name) ?? { marks: new Set(), leaves: [] }
      for (const mark of notes.filter((note) => MARKS.includes(note))) field.marks.add(mark)
      const otherNotes = notes.filter((note) => !MARKS.includes(note))
      field.leaves.push({ by: heading, status, source, path, notes: otherNotes, for: access })
      fields.set(name, field)
    }
  }
  return [...fields]
    .toSorted(([one], [other]) => byCodeUnit(one, other))
    .map(([field, { marks, leaves }]) => ({ field, marks: [...marks].toSorted(byCodeUnit), leaves }))
}

function requireParts(app: unknown, owner: string): AppParts {
  const parts = RunningApp.partsOf(app)
  if (parts !== undefined) return parts
  const foreign = describeForeign(app)
  const why = 'it must be an app of "createApp". Pass the return value of "createApp"'
  throw argumentError(owner, 'app', foreign === undefined ? why : `it is ${foreign}`)
}
