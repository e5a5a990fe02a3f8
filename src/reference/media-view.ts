/** Bodies of requests and responses. */
import { LINES_TYPES } from '../http/payload.js'
import { objectOrEmpty, resolveSchema, stringOrEmpty, type JsonRecord } from '../openapi/reading/json.js'
import { readSchema } from '../openapi/reading/format-type.js'
import { isFile, type Media } from './commands.js'
import { markup, type Content, type Html } from './html.js'
import type { Model } from './model.js'
import { fieldsView, typeView } from './schema-view.js'

/** Returns the type of a body with its fields. Several media types with the same schema share the fields. */
export function mediaView(model: Model, medias: readonly Media[]): Html[] {
  const bySchema = new Map<unknown, Media[]>()
  for (const media of medias) {
    const schema = media.about['schema'] ?? media.about['itemSchema']
    const key = objectOrEmpty(schema)['$ref'] ?? schema
    bySchema.set(key, [...(bySchema.get(key) ?? []), media])
  }
  return [...bySchema.values()].map((same) => sameMediaView(model, same))
}

function sameMediaView(model: Model, medias: readonly Media[]): Html {
  const types = medias.map(({ type }, index) => [index > 0 && ' or ', markup`<code>${type}</code>`])
  const [media = { type: '', about: {} }] = medias
  const { sentence, schema } = readMedia(model.document, media)
  const type = schema !== undefined && [' ', typeView(model, schema)]
  return markup`<p>${types}${type}</p>${sentence !== '' && markup`<p>${sentence}</p>`}${schema !== undefined && fieldsView(model, schema)}`
}

interface MediaReading {
  readonly sentence: string
  readonly schema: unknown
}

/** Describes the bytes of a media type, and returns the schema of the JSON in them. */
function readMedia(document: JsonRecord, { type, about }: Media): MediaReading {
  const name = type.toLowerCase().split(';', 1).join('')
  const schema = about['schema']
  const resolved = readSchema(document, schema)
  const item = about['itemSchema'] ?? resolved['contentSchema']
  if (name === 'text/event-stream') return { sentence: EVENTS, schema: eventData(document, item) }
  if (LINES.has(name)) return { sentence: 'A stream of JSON values, one in each line.', schema: item ?? schema }
  if (name === 'multipart/form-data') return { sentence: 'A form, which can contain files.', schema }
  if (isFile(resolved) || (schema === undefined && !isText(name)))
    return { sentence: 'The bytes of a file.', schema: undefined }
  return { sentence: '', schema }
}

const EVENTS =
  'An event stream: the server sends events until one side closes the connection. The data of each event is:'
const LINES: ReadonlySet<string> = new Set([...LINES_TYPES, 'application/json-seq'])

function isText(name: string): boolean {
  return name.startsWith('text/') || /[/+]json$/.test(name)
}

/** Returns the schema of the data of events, as OpenAPI 3.2 describes it. */
function eventData(document: JsonRecord, item: unknown): unknown {
  const data = readSchema(document, objectOrEmpty(readSchema(document, item)['properties'])['data'])
  return data['contentSchema'] ?? item
}

export function headersView(model: Model, headers: unknown): Content {
  const names = Object.keys(objectOrEmpty(headers)).slice(0, 20)
  if (names.length === 0) return null
  const rows = names.map((name) => {
    const header = resolveSchema(model.document, objectOrEmpty(headers)[name])
    return markup`<li><b>${name}</b> ${typeView(model, header['schema'])} ${stringOrEmpty(header['description'])}</li>`
  })
  return markup`<details><summary>Headers</summary><ul class=f>${rows}</ul></details>`
}
