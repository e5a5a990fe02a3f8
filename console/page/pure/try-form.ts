/** Form that sends requests to an endpoint, and the request that it builds. */
import type { JsonRecord } from '../../../src/devconsole/wire/json-schema.js'
import type { HeaderList, RequestRecord } from '../../../src/devconsole/wire/request-types.js'
import type { TryField, TryForm } from '../../../src/devconsole/wire/view-types.js'
import { parseJson } from './json-lines.js'
import { canSendHeader, SENDER_HEADERS, type SendableRequest } from './messages.js'

/** A form with the initial values of its fields. */
export interface FilledForm extends TryForm {
  readonly method: string
  readonly template: string
}

interface FormRoute {
  readonly method: string
  readonly template: string
  /** Version constraint of the endpoint. */
  readonly version?: string | null
  /** Header with the requested version. */
  readonly versionHeader?: string | null
}

/** A parameter of a template, or a wildcard. */
const SEGMENT = /\{(\w+)(\.\.\.)?\}/g

/** The browser sets this `Content-Type`, because only it knows the boundary. */
const FORM = 'multipart/form-data'

const NO_FORM: TryForm = { fields: [], body: null, type: '' }

/** Builds the form of an endpoint. A record provides the values of the fields. */
export function buildForm(
  { method, template, ...versions }: FormRoute,
  operation: JsonRecord,
  record: RequestRecord | null,
): FilledForm {
  // Proof: the app is built with the same types.
  const form = (operation['x-form'] ?? NO_FORM) as TryForm
  const named = new Set(form.fields.map((field) => field.name))
  const missing = [...template.matchAll(SEGMENT)].filter(([, name = '']) => !named.has(name))
  const version = versionFields(versions).filter(({ name }) => !named.has(name))
  const fields = [...missing.map(([, name = '']) => textField(name)), ...form.fields, ...version]
  if (record === null) return { ...form, method, template, fields }
  const filled = fields.map((field) => fillField(field, formValue(record, field)))
  // HEAD has the form of GET.
  const sent = record['http.request.method']
  return { ...form, method: sent, template, fields: filled, body: formBody(record) ?? form.body }
}

/** Values that the schema rejects can be sent again, too. */
function fillField(field: TryField, value: string | null): TryField {
  if (value === null) return field
  const { kind, options } = field
  const isNew = kind === 'select' && !options.includes(value)
  return { ...field, value, options: isNew ? [value, ...options] : options }
}

/** Builds the form of a request without an endpoint: its method and target are fields. */
export function targetForm(record: RequestRecord): FilledForm {
  const fields = [
    { ...textField('Method'), place: 'method' as const, value: record['http.request.method'] },
    { ...textField('Target'), place: 'target' as const, value: withQuery(record['url.path'], record['url.query']) },
  ]
  const type = record.request.body?.type ?? 'text/plain'
  return { method: '', template: '', fields, body: formBody(record) ?? '', type }
}

/** Returns the headers of a record that no field contains, as lines. Redacted secrets are replaced when the request is sent. */
export function freeHeaders(form: FilledForm, { request }: RequestRecord): string {
  const named = new Set(form.fields.filter(({ place }) => place === 'header').map(({ name }) => name.toLowerCase()))
  const free = request.headers.filter(([name, value]) => {
    const lower = name.toLowerCase()
    const isSet = named.has(lower) || SENDER_HEADERS.has(lower) || (lower === 'content-type' && value === form.type)
    return !isSet && lower !== 'authorization' && canSendHeader(lower) && !lower.startsWith('x-dev-')
  })
  return free.map(([name, value]) => `${name}: ${value}`).join('\n')
}

/** Query parameters of a record that no field contains: a field has the first value of its name, and an empty field is not sent. */
export function freeQuery(form: FilledForm, record: RequestRecord): string {
  const named = new Set(form.fields.filter(({ place }) => place === 'query').map(({ name }) => name))
  const query = [...new URLSearchParams(record['url.query'])].filter(
    ([name, value]) => value === '' || !named.delete(name),
  )
  return new URLSearchParams(query).toString()
}

function textField(name: string): TryField {
  return { place: 'path', name, kind: 'text', options: [], required: true, value: '', hint: '' }
}

/** The document does not contain the version header. Without it, the app uses its default version, which the endpoint may not support. */
function versionFields({ version, versionHeader }: Omit<FormRoute, 'method' | 'template'>): TryField[] {
  if (typeof version !== 'string' || typeof versionHeader !== 'string') return []
  const [, lowest = ''] = /^(?:>=|[=^~])?\s*(\d[\w.-]*)/.exec(version) ?? []
  const plain = { kind: 'text', options: [], required: false } as const
  return [{ place: 'header', name: versionHeader, value: lowest, hint: version, ...plain }]
}

function formValue(record: RequestRecord, { place, name }: TryField): string | null {
  if (place === 'path') return record.params[name] ?? null
  if (place === 'query') return new URLSearchParams(record['url.query']).get(name)
  if (place !== 'header') return null
  return record.request.headers.find(([field]) => field.toLowerCase() === name.toLowerCase())?.[1] ?? null
}

function formBody({ request }: RequestRecord): string | null {
  const text = request.body?.text ?? null
  const value = text === null ? undefined : parseJson(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

/** Values that the user entered. */
interface TryValues {
  /** By index of the field. */
  readonly values: readonly (string | readonly File[])[]
  readonly body: string | null
  /** Parameters that no field contains, as a query string. */
  readonly query?: string
  /** Credentials of the tab. */
  readonly stored?: readonly {
    readonly place: 'header' | 'query' | 'cookie'
    readonly name: string
    readonly value: string
  }[]
}

export function buildRequest(
  form: FilledForm,
  typed: TryValues,
  base: { readonly origin: string; readonly headers: readonly (readonly [string, string])[] },
): SendableRequest {
  const filled = form.fields.map((field, index) => {
    const values = [typed.values[index] ?? ''].flat()
    return { ...field, given: values, value: values.filter((each) => typeof each === 'string').join() }
  })
  const path = form.template.replaceAll(SEGMENT, (_, name: string, rest?: string) => {
    const value = filled.find((field) => field.place === 'path' && field.name === name)?.value ?? ''
    return rest === undefined ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/')
  })
  const used = filled.filter((field) => field.value !== '')
  const { stored = [] } = typed
  const pairsAt = (place: 'query' | 'header' | 'cookie') =>
    [...used, ...stored]
      .filter((field) => field.place === place)
      .map(({ name, value }): [string, string] => [name, value])
  const query = [...new URLSearchParams(pairsAt('query')), ...new URLSearchParams(typed.query ?? '')]
  const valueIn = (place: TryField['place']) => filled.find((field) => field.place === place)?.value
  const target = valueIn('target') ?? withQuery(path, new URLSearchParams(query).toString())
  return {
    method: (valueIn('method') ?? form.method).trim().toUpperCase(),
    url: `${base.origin}${target.startsWith('/') ? '' : '/'}${target}`,
    headers: requestHeaders(form, { body: typed.body, headers: pairsAt('header') }, base.headers),
    body: form.type === FORM || (form.template === '' && typed.body === '') ? null : typed.body,
    cookies: pairsAt('cookie')
      .map((pair) => pair.join('='))
      .join('; '),
    ...(form.schemes?.some(({ kind }) => kind === 'basic') === true && { isBasic: true }),
    ...(form.type === FORM && { parts: toFormParts(filled) }),
  }
}

function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`
}

function requestHeaders(
  form: FilledForm,
  { headers, body }: Pick<TryValues, 'body'> & { readonly headers: HeaderList },
  base: HeaderList,
): HeaderList {
  const isForm = form.type === FORM
  const typedHeaders: (readonly [string, string])[] = [...headers]
  const isTyped = base.some(([name]) => name.toLowerCase() === 'content-type')
  if (body !== null && !isForm && !isTyped) typedHeaders.push(['content-type', form.type])
  const names = new Set([...(isForm ? ['content-type'] : []), ...typedHeaders.map(([name]) => name.toLowerCase())])
  return [...base.filter(([name]) => canSendHeader(name) && !names.has(name.toLowerCase())), ...typedHeaders]
}

/** Empty values are omitted. */
function toFormParts(
  fields: readonly (Pick<TryField, 'place' | 'name'> & { readonly given: readonly (string | File)[] })[],
): [name: string, value: string | File][] {
  return fields
    .filter(({ place }) => place === 'part')
    .flatMap(({ name, given }) =>
      given.filter((value) => value !== '').map((value): [string, string | File] => [name, value]),
    )
}
