/** The form that tries an endpoint out: its fields from the operation, and the request that they make. */
import type { RequestRecord } from '../../wire.js'
import { exampleOf } from './example.js'
import { settable, type Sendable } from './messages.js'
import { listOf, objectOf, resolve, textOf, typeOf, type Json } from './schema.js'

/** Where a value goes. */
export type FieldPlace = 'path' | 'query' | 'header'

/** A field of the form. */
export interface TryField {
  readonly place: FieldPlace
  readonly name: string
  readonly kind: 'text' | 'number' | 'checkbox' | 'select'
  /** Choices of a select. */
  readonly options: readonly string[]
  readonly required: boolean
  /** What it begins with. */
  readonly value: string
  /** What may stand in it, in words. */
  readonly hint: string
}

/** A form. */
export interface TryForm {
  readonly method: string
  readonly template: string
  readonly fields: readonly TryField[]
  /** Text that the body begins with; `null` without a body. */
  readonly body: string | null
  /** Media type of the body. */
  readonly type: string
}

/** Where the form comes from. */
export interface TrySource {
  readonly method: string
  readonly template: string
  readonly document: Json
  /** Operation of the document; empty when it has none. */
  readonly operation: Json
}

/** A parameter of a template, or a wildcard. */
const SEGMENT = /\{(\w+)(\.\.\.)?\}/g

/**
 * Makes the form of an operation.
 *
 * @param source of the endpoint
 * @param record to be edited and sent again; `null` for an example
 */
export function formOf(source: TrySource, record: RequestRecord | null): TryForm {
  const described = listOf(source.operation['parameters']).map((it) => resolve(source.document, it))
  const named = new Set(described.map((parameter) => textOf(parameter['name'])))
  const missing = [...source.template.matchAll(SEGMENT)]
    .map(([, name = '']) => name)
    .filter((name) => !named.has(name))
    .map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  const parameters = [...missing, ...described].filter((parameter) => parameter['in'] !== 'cookie')
  const fields = parameters.map((parameter) => fieldOf(source, parameter, record))
  const content = objectOf(resolve(source.document, source.operation['requestBody'])['content'])
  const [type = 'application/json'] = Object.keys(content)
  return { method: source.method, template: source.template, fields, type, body: bodyOf(source, content, record) }
}

function fieldOf(source: TrySource, parameter: Json, record: RequestRecord | null): TryField {
  const name = textOf(parameter['name'])
  const place = placeOf(parameter['in'])
  const schema = resolve(source.document, parameter['schema'])
  const options = listOf(schema['enum']).map(String)
  const required = parameter['required'] === true
  const sent = record === null ? null : sentValue(record, place, name)
  const given = schema['example'] ?? schema['default'] ?? (required ? options[0] : undefined)
  return {
    place,
    name,
    required,
    options: required || options.length === 0 ? options : ['', ...options],
    kind: kindOf(schema, options),
    value: sent ?? (given === undefined ? '' : String(given)),
    hint: typeOf(source.document, parameter['schema']),
  }
}

function placeOf(value: unknown): FieldPlace {
  return value === 'path' || value === 'header' ? value : 'query'
}

function kindOf(schema: Json, options: readonly string[]): TryField['kind'] {
  if (options.length > 0) return 'select'
  if (schema['type'] === 'boolean') return 'checkbox'
  return schema['type'] === 'integer' || schema['type'] === 'number' ? 'number' : 'text'
}

function sentValue(record: RequestRecord, place: FieldPlace, name: string): string | null {
  if (place === 'path') return record.params[name] ?? null
  if (place === 'query') return new URLSearchParams(record['url.query']).get(name)
  return record.request.headers.find(([field]) => field.toLowerCase() === name.toLowerCase())?.[1] ?? null
}

function bodyOf(source: TrySource, content: Json, record: RequestRecord | null): string | null {
  const sent = record?.request.body?.text ?? null
  if (sent !== null) return pretty(sent)
  const media = objectOf(Object.values(content)[0])
  if (Object.keys(content).length === 0) return null
  return JSON.stringify(media['example'] ?? exampleOf(source.document, media['schema']), null, 2)
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** What was typed: a value for each field, by its index. */
export interface TryValues {
  readonly values: readonly string[]
  readonly body: string | null
  /** Value of `Authorization`; empty for none. */
  readonly authorization: string
}

/**
 * Makes the request.
 *
 * @param form that was filled
 * @param typed into it
 * @param base origin, and the header fields to keep of a record that is sent again
 */
export function requestOf(
  form: TryForm,
  typed: TryValues,
  base: { readonly origin: string; readonly headers: readonly (readonly [string, string])[] },
): Sendable {
  const filled = form.fields.map((field, index) => ({ ...field, value: typed.values[index] ?? '' }))
  const valueOf = (name: string) => filled.find((it) => it.place === 'path' && it.name === name)?.value ?? ''
  const path = form.template.replaceAll(SEGMENT, (_, name: string, rest?: string) =>
    rest === undefined ? encodeURIComponent(valueOf(name)) : valueOf(name).split('/').map(encodeURIComponent).join('/'),
  )
  const used = filled.filter((field) => field.value !== '')
  const query = new URLSearchParams(
    used.filter((field) => field.place === 'query').map(({ name, value }): [string, string] => [name, value]),
  )
  const own: (readonly [string, string])[] = used
    .filter((field) => field.place === 'header')
    .map(({ name, value }) => [name, value])
  if (typed.authorization !== '') own.push(['authorization', typed.authorization])
  if (typed.body !== null) own.push(['content-type', form.type])
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  const kept = settable(base.headers).filter(([name]) => !names.has(name.toLowerCase()))
  return {
    method: form.method,
    url: `${base.origin}${path}${query.size === 0 ? '' : `?${query.toString()}`}`,
    headers: [...kept, ...own],
    body: typed.body,
  }
}
