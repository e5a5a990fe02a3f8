/** Compares the documents of two versions. */
import { describeType, formatType, readSchema } from '../openapi/reading/format-type.js'
import { resolveSchema, stringOrEmpty, type JsonRecord } from '../openapi/reading/json.js'
import { listMedia } from './commands.js'
import { isError, listResponses, type Model, type ShownOperation } from './model.js'
import { collectFields, unwrap } from './schema-view.js'
import { listRequirements } from './security-view.js'

/** The differences of two documents. */
interface Changes {
  readonly added: readonly ShownOperation[]
  /** Operations of the older document. */
  readonly removed: readonly ShownOperation[]
  readonly changed: readonly ChangedOperation[]
}

/** An operation of the newer document that differs from the older one. */
export interface ChangedOperation {
  readonly operation: ShownOperation
  readonly differences: readonly Difference[]
}

/** A part of an operation in both documents. */
export interface Difference {
  /** `query parameter`, `field`, `200 response` or another kind of part. */
  readonly kind: string
  /** Name of a parameter, or path of a field, such as `address.city`; empty for other parts. */
  readonly name: string
  /** The body or response that contains a field; empty for other parts. */
  readonly owner: string
  /** Description in the older document; `undefined` for a new part. */
  readonly before: string | undefined
  /** Description in the newer document; `undefined` for a removed part. */
  readonly after: string | undefined
}

/** Maximum number of parts of one operation, and of all operations. */
const MAX_PARTS = 500
const MAX_ALL_PARTS = 200_000
/** Maximum number of fields around a field. */
const MAX_DEPTH = 3

/** Compares two documents. Operations are the same if their method and path are; the names of path parameters can differ. */
export function listChanges(before: Model, after: Model): Changes {
  const [older, newer] = [operationsByShape(before), operationsByShape(after)]
  const changed: ChangedOperation[] = []
  let partsLeft = MAX_ALL_PARTS
  for (const [shape, operation] of newer) {
    const former = older.get(shape)
    if (former === undefined || partsLeft <= 0) continue
    const [old, current] = [readParts(before, former), readParts(after, operation)]
    partsLeft -= old.size + current.size
    const differences = compareParts(old, current)
    if (differences.length > 0) changed.push({ operation, differences })
  }
  return { added: operationsWithout(newer, older), removed: operationsWithout(older, newer), changed }
}

function operationsByShape({ groups }: Model): Map<string, ShownOperation> {
  const all = groups.flatMap(({ operations }) => operations)
  return new Map(all.map((each) => [`${each.method} ${each.path.replaceAll(/{[^{}]*}/g, '{}')}`, each]))
}

function operationsWithout(
  all: ReadonlyMap<string, ShownOperation>,
  others: ReadonlyMap<string, ShownOperation>,
): ShownOperation[] {
  return [...all].filter(([shape]) => !others.has(shape)).map(([, operation]) => operation)
}

type Part = Pick<Difference, 'kind' | 'name' | 'owner'> & { readonly text: string }

/** Parts by kind, name and owner. */
type Parts = ReadonlyMap<string, Part>

function compareParts(before: Parts, after: Parts): Difference[] {
  return [...new Map([...before, ...after])].flatMap(([key, { kind, name, owner }]) => {
    const [old, current] = [before.get(key)?.text, after.get(key)?.text]
    return old === current ? [] : [{ kind, name, owner, before: old, after: current }]
  })
}

function readParts(model: Model, operation: ShownOperation): Parts {
  const parts = new Map<string, Part>()
  for (const part of listParts(model, operation)) {
    if (parts.size === MAX_PARTS) break
    parts.set([part.kind, part.name, part.owner].join(' '), part)
  }
  return parts
}

/** Lists the parts that clients observe. Excludes descriptions, examples, and the bodies of errors. */
function* listParts(model: Model, { about, parameters }: ShownOperation): Generator<Part> {
  const { document } = model
  yield wholePart('credentials', credentialsText(model, about))
  if (about['deprecated'] === true) yield wholePart('deprecation', '')
  for (const { in: place, name, description, schema, required } of parameters) {
    // The parameter for the version in documents of Verbena differs in each version.
    if (stringOrEmpty(description).startsWith('Version of the API: ')) continue
    const text = fieldText(document, schema, required === true)
    yield { kind: `${stringOrEmpty(place)} parameter`, name: stringOrEmpty(name), owner: '', text }
  }
  yield* contentParts(document, 'request body', resolveSchema(document, about['requestBody']))
  for (const { status, response } of listResponses(model, about)) {
    const kind = `${status} response`
    if (isError(status) || listMedia(response).length === 0) yield wholePart(kind, '')
    else yield* contentParts(document, kind, response)
  }
}

function wholePart(kind: string, text: string): Part {
  return { kind, name: '', owner: '', text }
}

function credentialsText(model: Model, about: JsonRecord): string {
  const alternatives = listRequirements(model, about).map((names) => names.join(' + ') || 'none')
  return alternatives.join(' or ') || 'none'
}

/** Lists the media types, the type and the fields of a body. */
function* contentParts(document: JsonRecord, kind: string, about: JsonRecord): Generator<Part> {
  const medias = listMedia(about)
  const [media] = medias
  if (media === undefined) return
  const schema = media.about['schema'] ?? media.about['itemSchema']
  const types = medias.map(({ type }) => type).join(' or ')
  yield wholePart(kind, `${types} ${fieldText(document, schema, about['required'] === true)}`)
  yield* fieldParts(document, schema, { owner: kind, path: [] })
}

interface FieldPlace {
  readonly owner: string
  readonly path: readonly string[]
}

function* fieldParts(document: JsonRecord, schema: unknown, { owner, path }: FieldPlace): Generator<Part> {
  if (path.length > MAX_DEPTH) return
  for (const field of collectFields(document, unwrap(document, schema))) {
    const inner = [...path, field.name]
    const text = fieldText(document, field.schema, field.isRequired)
    yield { kind: 'field', name: inner.join('.'), owner, text }
    yield* fieldParts(document, field.schema, { owner, path: inner })
  }
}

/** Returns the type without names of schemas. */
function fieldText(document: JsonRecord, schema: unknown, isRequired: boolean): string {
  const parts = describeType(document, schema).map(({ text, isName }) =>
    isName === true ? formatType(document, readSchema(document, { $ref: `#/components/schemas/${text}` })) : text,
  )
  return `${parts.join('')}${isRequired ? ', required' : ''}`
}
