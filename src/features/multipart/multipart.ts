/** `multipart`: a form with files as a body, collected and validated. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { resolve } from 'node:path'
import {
  checkOptions,
  integerRule,
  objectRule,
  optionError,
  mandatory,
  SWITCH,
  textRule,
  type Rules,
} from '../../errors/options.js'
import { SetupError } from '../../errors/setup-error.js'
import { typeMatcher } from '../../http/media-type.js'
import type {
  BodyReader,
  IncomingBody,
  PreparedReader,
  ReaderContext,
  ShownBody,
  ShownMembers,
} from '../../route/body-reader.js'
import { type BodyKind, BOUNDS, Kind } from '../../route/kinds.js'
import { Issues } from '../../validation/issues.js'
import { isSchema, type In, type Out, type Schema } from '../../validation/schema.js'
import { textSource, type StringSource } from '../../validation/text/string-source.js'
import type { Outcome } from '../../validation/validate.js'
import { thenSync } from '../../values/promises.js'
import { collect, nothingCollected, type CollectedForm, type FilePlan, type FormPlan } from './collect.js'
import { describeForm } from './describe-form.js'
import { FileStore, type StoreSettings } from './file-store.js'
import type {
  MultipartRequestBody,
  FieldTexts,
  FileRule,
  FileRules,
  MultipartBody,
  MultipartOptions,
} from './form-types.js'
import { PartReader } from './part-reader.js'

startStackAtCaller(multipart)

/**
 * Body kind for a form with files, `multipart/form-data` (RFC 7578). Verbena reads and validates the form before the handler runs.
 * Fields are converted like query parameters. Each file is a standard `File`; files in `folder` are deleted when the request is done.
 *
 * Errors name the part: 413 for a limit, 415 for a media type that is not accepted, 422 for fields that do not match the schema and for
 * missing or unexpected files.
 *
 * @param schema schema of the object of fields
 * @param options rules for files, limits in bytes, and the directory for large files
 * @returns the kind, for `body` in a contract
 * @throws SetupError `OPTION_INVALID`, `SCHEMA_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { multipart } from 'verbena/multipart'
 *
 * class Avatars extends Route {
 *   static readonly put = this.contract({
 *     body: multipart({ files: { image: { types: ['image/png'], limit: 2_000_000 } } }),
 *   })
 *   async put({ body }: Input<typeof Avatars.put>) {
 *     return { title: body.fields['title'], name: body.files.image.name, bytes: body.files.image.size }
 *   }
 * }
 * const app = createApp({ routes: { Avatars } })
 *
 * const form = new FormData()
 * form.append('title', 'Ada')
 * form.append('image', new File(['a picture'], 'ada.png', { type: 'image/png' }))
 * const answer = await app.fetch(new Request('http://localhost/avatars', { method: 'PUT', body: form }))
 * await answer.json() // => { title: 'Ada', name: 'ada.png', bytes: 9 }
 * ```
 */
export function multipart<S extends Schema, const F extends FileRules = {}>(
  schema: S,
  options?: MultipartOptions<F>,
): BodyKind<MultipartBody<Out<S>, F>, MultipartRequestBody<In<S>, F>>
/**
 * Body kind for a form with files, without a schema for the fields.
 *
 * @param options rules for files, limits in bytes, and the directory for large files
 * @returns the kind, for `body` in a contract
 */
export function multipart<const F extends FileRules = {}>(
  options?: MultipartOptions<F>,
): BodyKind<MultipartBody<FieldTexts, F>, MultipartRequestBody<FieldTexts, F>>
export function multipart(firstArg?: unknown, options?: MultipartOptions): BodyKind<never, never> {
  const schema = isSchema(firstArg) ? firstArg : null
  if (schema === null && options !== undefined) {
    const fix = 'Pass a schema that implements Standard Schema 1, or only the options'
    throw new SetupError('SCHEMA_INVALID', `Cannot use multipart(…): the first argument must be a schema. ${fix}`)
  }
  // Proof: without a schema, the first argument is the options, which the constructor checks.
  return new Kind(
    'read',
    null,
    {},
    new FormReader(schema, options ?? (schema === null ? (firstArg as MultipartOptions) : {})),
  )
}

class FormReader implements BodyReader {
  readonly label = 'multipart'
  readonly #schema: Schema | null
  readonly #options: MultipartOptions

  constructor(schema: Schema | null, options: MultipartOptions = {}) {
    checkMultipartOptions(options)
    this.#schema = schema
    this.#options = options
  }

  prepare({ limits, converters, where }: ReaderContext): PreparedReader {
    const { files = {}, limit = limits.body, total, folder, memory = 65_536 } = this.#options
    const source = this.#schema && textSource(this.#schema, converters)
    checkNames(Object.keys(files), source?.keys ?? [], where)
    const plans = Object.entries(files).map(([name, rule]) => [name, planFile(rule, limit)] as const)
    const plan: FormPlan = {
      files: new Map(plans),
      fieldLimit: limits.body,
      depth: limits.depth,
      jsonShape: (name) => source?.jsonShape(name) ?? null,
    }
    const maxParts = plans.reduce((parts, [, { count }]) => parts + (count ?? 1), limits.keys)
    const settings: StoreSettings = { folder: folder === undefined ? null : resolve(folder), memory }
    return {
      limit: total ?? plans.reduce((bytes, [, file]) => bytes + file.limit * (file.count ?? 1), limits.body),
      read: (body) => readForm(body, { plan, most: maxParts, settings }),
      // Proof: the value is the result of `read`.
      validate: (value) => validateForm(value as CollectedForm, source, plan),
    }
  }

  describe(membersOf: (member: Schema) => ShownMembers): ShownBody {
    const { files = {} } = this.#options
    return describeForm(this.#schema === null ? OPEN : membersOf(this.#schema), files)
  }
}

const OPEN = { named: [], rest: {} } as const

interface FormReading {
  readonly plan: FormPlan
  /** Maximum number of parts. */
  readonly most: number
  readonly settings: StoreSettings
}

function readForm(
  body: IncomingBody | null,
  { plan, most, settings }: FormReading,
): CollectedForm | Promise<CollectedForm> {
  if (body === null) return nothingCollected(plan)
  const store = new FileStore(settings)
  if (settings.folder !== null) body.onEnd(() => store.release())
  return collect(new PartReader(body, most), plan, store)
}

/** Reports the errors of fields and files together. */
function validateForm(form: CollectedForm, source: StringSource | null, plan: FormPlan): Outcome | Promise<Outcome> {
  const { texts, values, messages } = form
  const outcome = source === null ? { value: texts, issues: undefined } : source.read(texts, values)
  return thenSync(outcome, ({ value: fields, issues }) => {
    const allIssues = [
      ...(issues?.rawIssues ?? []),
      ...Array.from(messages, ([name, message]) => ({ message, path: [name] })),
    ]
    if (allIssues.length > 0) return { value: undefined, issues: new Issues(allIssues, { ...texts, ...values }) }
    const files = Array.from(plan.files, ([name, { count }]) => {
      const stored = form.files.get(name) ?? []
      return [name, count === null ? stored[0] : stored] as const
    })
    return { value: { fields, files: Object.fromEntries(files) }, issues: undefined }
  })
}

function planFile({ types = ['*/*'], limit, optional = false, count }: FileRule, usual: number): FilePlan {
  return {
    takesType: typeMatcher(types),
    types: types.join(', '),
    limit: limit ?? usual,
    isOptional: optional,
    count: count ?? null,
  }
}

/** Throws if a file and a field have the same name. */
function checkNames(files: readonly string[], fields: readonly string[], where: string): void {
  const twice = files.find((name) => fields.includes(name))
  if (twice === undefined) return
  const state = `"${twice}" is both a file and a field of the schema. Rename one of them`
  throw new SetupError('CONTRACT_INVALID', `Cannot read the body of ${where}: ${state}`)
}

const RULES: Rules<MultipartOptions> = {
  files: objectRule("{ image: { types: ['image/png'] } }"),
  limit: BOUNDS.limit,
  total: BOUNDS.limit,
  folder: textRule((text) => text !== '', 'be a non-empty path', "'/tmp/uploads'"),
  memory: BOUNDS.limit,
}

const FILE_RULES: Rules<FileRule> = { ...BOUNDS, optional: SWITCH, count: integerRule(1, '5') }
const FILE = mandatory(objectRule('{}', FILE_RULES))

function checkMultipartOptions(options: MultipartOptions): void {
  checkOptions(options, RULES, 'multipart()')
  const { files = {}, memory, folder } = options
  const byName = Object.fromEntries(Object.keys(files).map((name) => [name, FILE]))
  checkOptions({ files }, { files: objectRule('{}', byName) }, 'multipart()')
  if (memory === undefined || folder !== undefined) return
  throw optionError('multipart()', 'memory', 'it has no effect without "folder". Set "folder", or remove "memory"')
}
