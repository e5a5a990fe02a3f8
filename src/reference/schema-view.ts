/** Schemas as lists of fields that people read. */
import { describeType, cutText, readSchema, referenceName } from '../openapi/reading/format-type.js'
import {
  listEntries,
  isJson,
  listOrEmpty,
  objectOrEmpty,
  stringOrEmpty,
  type JsonRecord,
} from '../openapi/reading/json.js'
import { markup, type Content, type Html } from './html.js'
import type { Model } from './model.js'
import { paragraphs } from './text.js'

/** Maximum number of fields in one list, of nested lists, and of fields below one schema. */
const MAX_FIELDS = 100
const MAX_DEPTH = 3
const MAX_ROWS = 120
const MAX_ROWS_IF_LARGE = 30
/** Maximum number of fields that are counted. */
const MAX_COUNTED = 1_000
/** Maximum number of schemas that are combined by `allOf`. */
const MAX_PARTS = 30

interface FieldWork {
  readonly model: Model
  /** Whether schemas with a name are repeated in place. Otherwise they are links. */
  readonly repeatsNamed: boolean
  rowsLeft: number
}

/** A list of fields at a place in a tree. */
interface Place {
  readonly depth: number
  /** Names of the schemas around it, which end a recursion. */
  readonly around: readonly string[]
}

const TOP: Place = { depth: 0, around: [] }

/** Returns the type of a schema with links to the schemas that it names. */
export function typeView({ document, schemas }: Model, schema: unknown): Html {
  const parts = describeType(document, schema)
  // The bounds of an inner type are in its text, because they end before the type does.
  const end = parts.findLastIndex(({ isLimit }) => isLimit !== true) + 1
  const type = parts.slice(0, end).map(({ text, isName }) => {
    const named = isName === true ? schemas.get(text) : undefined
    return named === undefined ? text : markup`<a href="#${named.id}">${text}</a>`
  })
  const limits = parts.slice(end).map(({ text }) => text)
  return markup`<code>${type}</code>${limits.length > 0 && markup`<span>${limits}</span>`}`
}

/** Returns the fields of a schema; `null` for a schema without fields. */
export function fieldsView(model: Model, schema: unknown, repeatsNamed: boolean = !model.isLarge): Content {
  const work: FieldWork = { model, repeatsNamed, rowsLeft: model.isLarge ? MAX_ROWS_IF_LARGE : MAX_ROWS }
  if (!repeatsNamed && referenceName(schema) !== '') return null
  return nestedFields(work, schema, TOP)
}

function nestedFields(work: FieldWork, schema: unknown, place: Place): Content {
  const { document } = work.model
  const inner = unwrap(document, schema)
  const name = referenceName(inner)
  if (place.around.includes(name) || place.depth > MAX_DEPTH) return null
  const around = name === '' ? place.around : [...place.around, name]
  const fields = collectFields(document, inner)
  const list = fields.length > 0 && fieldList(work, fields, { ...place, around })
  return [list, choiceList(work, readSchema(document, inner), { ...place, around })]
}

/** Returns the schema whose fields are shown for a list, a map or a value that may be null. */
export function unwrap(document: JsonRecord, schema: unknown): unknown {
  let current = schema
  for (let step = 0; step < MAX_DEPTH; step++) {
    const resolved = readSchema(document, current)
    const next = innerSchema(document, resolved)
    if (next === undefined) return current
    current = next
  }
  return current
}

function innerSchema(document: JsonRecord, schema: JsonRecord): unknown {
  if (isJson(schema['items'])) return schema['items']
  const values = schema['additionalProperties']
  if (isJson(values) && schema['properties'] === undefined) return values
  if (schema['properties'] !== undefined) return undefined
  const choices = listChoices(schema).filter((choice) => readSchema(document, choice)['type'] !== 'null')
  return choices.length === 1 ? choices[0] : undefined
}

function listChoices(schema: JsonRecord): readonly unknown[] {
  return [...listOrEmpty(schema['oneOf']), ...listOrEmpty(schema['anyOf'])]
}

/** A field of an object. */
interface Field {
  readonly name: string
  readonly schema: unknown
  readonly isRequired: boolean
}

/** Collects the fields of an object, including the fields of schemas that it combines. */
export function collectFields(document: JsonRecord, schema: unknown): Field[] {
  const fields = new Map<string, Field>()
  const required = new Set<unknown>()
  const left = [schema]
  for (let part = 0; part < MAX_PARTS && part < left.length; part++) {
    const { properties, required: names, allOf } = readSchema(document, left[part])
    for (const name of listOrEmpty(names).slice(0, MAX_ROWS)) required.add(name)
    for (const [name, property] of listEntries(properties).slice(0, MAX_COUNTED)) {
      fields.set(name, { name, schema: property, isRequired: false })
    }
    left.push(...listOrEmpty(allOf).slice(0, MAX_PARTS))
  }
  return [...fields.values()].map((field) => ({ ...field, isRequired: required.has(field.name) }))
}

function fieldList(work: FieldWork, fields: readonly Field[], place: Place): Html {
  const shown: Html[] = []
  for (const field of fields.slice(0, MAX_FIELDS)) {
    if (--work.rowsLeft < 0) break
    shown.push(fieldRow(work, field, place))
  }
  const hidden = fields.length - shown.length
  return markup`<ul class=f>${shown}${hidden > 0 && markup`<li class="more">${hidden} more</li>`}</ul>`
}

function fieldRow(work: FieldWork, { name, schema, isRequired }: Field, place: Place): Html {
  const { model } = work
  const { about, notes } = describeField(model.document, schema)
  return markup`<li><b>${name}</b> ${typeView(model, schema)}${isRequired && markup` <em>required</em>`}${notes}${about}${nestedView(work, schema, place)}</li>`
}

/** Returns the description of a field, and its marks. A description beside a reference replaces the description of its schema. */
function describeField(document: JsonRecord, schema: unknown): { readonly about: Content; readonly notes: Content } {
  const own = objectOrEmpty(schema)
  const resolved = readSchema(document, schema)
  const marks = [
    ['deprecated', 'deprecated'],
    ['readOnly', 'only in responses'],
    ['writeOnly', 'only in requests'],
  ] as const
  const notes = marks.map(([key, text]) => resolved[key] === true && markup` <i>${text}</i>`)
  return { about: paragraphs(stringOrEmpty(own['description'] ?? resolved['description'])), notes }
}

/** Returns the fields inside of a field in a closed section. */
function nestedView(work: FieldWork, schema: unknown, place: Place): Content {
  const inner = unwrap(work.model.document, schema)
  if (work.rowsLeft <= 0 || (!work.repeatsNamed && referenceName(inner) !== '')) return null
  const fields = nestedFields(work, inner, { ...place, depth: place.depth + 1 })
  return isEmpty(fields) ? null : markup`<details><summary>Fields</summary>${fields}</details>`
}

/** Returns the alternatives of a union that have fields. */
function choiceList(work: FieldWork, schema: JsonRecord, place: Place): Content {
  const choices = listChoices(schema).slice(0, MAX_PARTS)
  const shown = choices.flatMap((choice) => {
    if (work.rowsLeft <= 0 || (!work.repeatsNamed && referenceName(choice) !== '')) return []
    const fields = nestedFields(work, choice, { ...place, depth: place.depth + 1 })
    if (isEmpty(fields)) return []
    return [markup`<details><summary>Fields of ${choiceName(work.model.document, choice)}</summary>${fields}</details>`]
  })
  return shown.length > 0 && shown
}

function choiceName(document: JsonRecord, choice: unknown): string {
  const name = referenceName(choice) || stringOrEmpty(readSchema(document, choice)['title'])
  return name === '' ? 'an alternative' : cutText(name, MAX_FIELDS)
}

function isEmpty(content: Content): boolean {
  return content === null || content === false || (Array.isArray(content) && content.every(isEmpty))
}
