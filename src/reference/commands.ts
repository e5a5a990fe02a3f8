/** The lines that send a request: for curl, and for the typed client. */
import { buildExample } from '../openapi/reading/example.js'
import { cutText, printJson, readSchema } from '../openapi/reading/format-type.js'
import {
  listEntries,
  objectOrEmpty,
  stringOrEmpty,
  listOrEmpty,
  resolveSchema,
  type JsonRecord,
} from '../openapi/reading/json.js'
import type { Model, ShownOperation } from './model.js'
import { listRequirements, toCredential } from './security-view.js'

const MAX_LINE_LENGTH = 1_500
const EXAMPLE_DEPTH = 3
/** Maximum number of fields of a form. */
const MAX_FIELDS = 20
/** Address of the API in examples, if the document does not contain it. */
export const ADDRESS = '$API'

/** A request or response body of one media type. */
export interface Media {
  readonly type: string
  readonly about: JsonRecord
}

/** Returns the media types of a request body or a response. */
export function listMedia(owner: JsonRecord): Media[] {
  return listEntries(owner['content'])
    .slice(0, 20)
    .map(([type, about]) => ({ type, about: objectOrEmpty(about) }))
}

/** Returns the example of the author, or an example of the schema; `undefined` if the page is too large for it. */
export function chooseExample({ document, isLarge }: Model, { about }: Media): unknown {
  const [first] = listEntries(about['examples'])
  const givenExample = resolveSchema(document, first?.[1])
  const own = about['example'] ?? givenExample['value'] ?? givenExample['dataValue'] ?? givenExample['serializedValue']
  if (own !== undefined || isLarge) return own
  return buildExample(document, about['itemSchema'] ?? about['schema'], EXAMPLE_DEPTH)
}

/** Returns the first server of the document; `$API` for an address that is relative to the document. */
export function serverAddress({ document }: Model): string {
  const url = stringOrEmpty(objectOrEmpty(listOrEmpty(document['servers'])[0])['url']).replace(/\/$/, '')
  const absolute = url.replace(/^\/\//, 'https://')
  return /^https?:\/\//.test(absolute) ? cutText(absolute, MAX_LINE_LENGTH) : `${ADDRESS}${url}`
}

export function curlLine(model: Model, operation: ShownOperation): string {
  const { method, about } = operation
  const headers = valuesIn(model, operation, 'header').map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  const body = bodyArguments(model, about)
  return [
    `curl${method === 'GET' ? '' : ` -X ${safeWord(method)}`} ${addressArgument(model, operation)}`,
    ...credentialArguments(model, about),
    ...headers,
    ...body,
  ].join(' \\\n  ')
}

/** Quotes a method of `additionalOperations`, which can be any string. */
function safeWord(text: string): string {
  return /^[A-Za-z-]+$/.test(text) ? text : quote(text)
}

function addressArgument(model: Model, operation: ShownOperation): string {
  const values = new Map(valuesIn(model, operation, 'path'))
  const path = cutText(operation.path, MAX_LINE_LENGTH).replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = values.get(name)
    return value === undefined ? whole : encode(value)
  })
  const query = valuesIn(model, operation, 'query').map(([name, value]) => `${encode(name)}=${encode(value)}`)
  const keys = listCredentials(model, operation.about).filter(({ place }) => place === 'query')
  const all = [...query, ...keys.map(({ name }) => `${encode(name)}=`)].join('&')
  const address = serverAddress(model)
  const rest = `${address.startsWith(ADDRESS) ? address.slice(ADDRESS.length) : address}${path}${all === '' ? '' : `?${all}`}`
  const key = keys.length > 0 ? '"$API_KEY"' : ''
  if (!address.startsWith(ADDRESS)) return quote(rest) + key
  return `${PLAIN.test(rest) ? `"${ADDRESS}${rest}"` : `"${ADDRESS}"${quote(rest)}`}${key}`
}

/** A header with one placeholder at its end, without another meaning for a shell in double quotes. */
const PLAIN_FIELD = /^[\w: -]*\$[A-Z_]+$/
/** Text without a meaning for a shell in double quotes. */
const PLAIN = /^[\w.~%/?=&{},:@+-]*$/

function encode(text: string): string {
  return encodeURIComponent(text.replaceAll(/[\uD800-\uDFFF]/gu, '\uFFFD'))
}

/** Quotes a string for a shell, without control characters. */
function quote(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these characters could end the paste mode of a terminal
  const safe = text.replaceAll(/[\0-\x09\x0B-\x1F\x7F-\x9F]/g, '')
  return `'${safe.replaceAll("'", String.raw`'\''`)}'`
}

function listCredentials(model: Model, about: JsonRecord) {
  const [first = []] = listRequirements(model, about)
  const schemes = new Map(model.schemes)
  return first.flatMap((name) => toCredential(schemes.get(name) ?? {}) ?? [])
}

function credentialArguments(model: Model, about: JsonRecord): string[] {
  return listCredentials(model, about).flatMap(({ place, name, value }) => {
    if (place === 'query') return []
    if (place === 'cookie') return [`-b ${quote(`${name}=`)}"${value}"`]
    const field = `${name}: ${value}`
    if (PLAIN_FIELD.test(field)) return [`-H "${field}"`]
    const start = field.lastIndexOf('$')
    return [`-H ${quote(field.slice(0, start))}"${field.slice(start)}"`]
  })
}

/** Returns names and example values of the required parameters in one place. */
function valuesIn({ document }: Model, { parameters }: ShownOperation, place: string): [name: string, value: string][] {
  const own = parameters.filter(({ in: where, required }) => where === place && (required === true || place === 'path'))
  return own.map((parameter) => [stringOrEmpty(parameter['name']), parameterText(document, parameter)])
}

function parameterText(document: JsonRecord, parameter: JsonRecord): string {
  const [first] = listEntries(parameter['examples'])
  const given = parameter['example'] ?? objectOrEmpty(first?.[1])['value']
  const value = given ?? buildExample(document, parameter['schema'], 1)
  const text = typeof value === 'object' ? printJson(value) : String(value)
  return cutText(text, MAX_LINE_LENGTH)
}

function bodyArguments(model: Model, about: JsonRecord): string[] {
  const [media] = listMedia(resolveSchema(model.document, about['requestBody']))
  if (media === undefined) return []
  const { document } = model
  const option = FORMS.get(media.type)
  if (option !== undefined)
    return formFields(document, media).map(([name, value]) => `${option} ${quote(`${name}=${value}`)}`)
  const isAny = media.type === '*/*' && 'properties' in readSchema(document, media.about['schema'])
  const type = isAny ? 'application/json' : media.type
  const header = `-H ${quote(`content-type: ${type}`)}`
  if (!type.endsWith('json')) return [header, '--data-binary @file']
  const example = chooseExample(model, media)
  return [header, example === undefined ? '-d @body.json' : `-d ${quote(printJson(example))}`]
}

/** Options of curl that send a field. They also add the media type. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ['multipart/form-data', '-F'],
  ['application/x-www-form-urlencoded', '--data-urlencode'],
])

/** Returns the required fields of a form, or the first fields, with placeholders. */
function formFields(document: JsonRecord, { about }: Media): [name: string, placeholder: string][] {
  const { properties, required } = readSchema(document, about['schema'])
  const all = listEntries(properties)
  const needed = all.filter(([name]) => listOrEmpty(required).includes(name))
  return (needed.length > 0 ? needed : all)
    .slice(0, MAX_FIELDS)
    .map(([name, schema]) => [name, isFile(readSchema(document, schema)) ? '@file' : '…'])
}

/** Whether a schema describes a file: by a media type, or by the format of OpenAPI 3.0. */
export function isFile(schema: JsonRecord): boolean {
  return 'contentMediaType' in schema || schema['format'] === 'binary'
}

export function clientLine(model: Model, operation: ShownOperation): string {
  const { method, path, about } = operation
  const { document } = model
  const groups = [
    ['params', 'path'],
    ['query', 'query'],
    ['headers', 'header'],
  ] as const
  const input = groups.flatMap(([key, place]) => {
    const members = requiredIn(operation, place).map(
      ([name, schema]) =>
        `${key === 'headers' ? quoteName(name.toLowerCase()) : quoteName(name)}: ${placeholder(document, schema)}`,
    )
    return members.length === 0 ? [] : [`${key}: { ${members.join(', ')} }`]
  })
  const body = resolveSchema(document, about['requestBody'])['content'] === undefined ? [] : ['body']
  const argument = [...input, ...body].join(', ')
  return `await api(${quoteText(path)}).${method.toLowerCase()}(${argument === '' ? '' : `{ ${argument} }`})`
}

function requiredIn({ parameters }: ShownOperation, place: string): [name: string, schema: unknown][] {
  const own = parameters.filter(({ in: where, required }) => where === place && required === true)
  return own.map(({ name, schema }) => [stringOrEmpty(name), schema])
}

function placeholder(document: JsonRecord, schema: unknown): string {
  const value = buildExample(document, schema, 1)
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : quoteText(typeof value === 'string' && 'enum' in readSchema(document, schema) ? value : '…')
}

function quoteName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoteText(name)
}

function quoteText(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
}
