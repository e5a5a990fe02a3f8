/** The form that tries an endpoint out, and the request that it makes. */
import type { JsonRecord } from '../../wire/json-schema.js'
import type { RequestRecord } from '../../wire/request-types.js'
import type { TryField, TryForm } from '../../wire/view-types.js'
import { settable, type SendableRequest } from './messages.js'

/** A form, ready to be filled. */
export interface FilledForm extends TryForm {
  readonly method: string
  readonly template: string
}

/** An endpoint, as far as its form asks. */
interface FormRoute {
  readonly method: string
  readonly template: string
  /** Constraint of its versions. */
  readonly version?: string | null
  /** Header that says which version is asked for. */
  readonly versionHeader?: string | null
}

/** A parameter of a template, or a wildcard. */
const SEGMENT = /\{(\w+)(\.\.\.)?\}/g

/** Only the platform knows the boundary of such a form, which stands in its media type. */
const FORM = 'multipart/form-data'

const NO_FORM: TryForm = { fields: [], body: null, type: '' }

/** Makes the form of an endpoint. */
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
  const filled = fields.map((field) => ({ ...field, value: formValue(record, field) ?? field.value }))
  return { ...form, method, template, fields: filled, body: formBody(record) ?? form.body }
}

function textField(name: string): TryField {
  return { place: 'path', name, kind: 'text', options: [], required: true, value: '', hint: '' }
}

/** The document does not name the header; without it the app takes its own version, which the endpoint may not answer. */
function versionFields({ version, versionHeader }: Omit<FormRoute, 'method' | 'template'>): TryField[] {
  if (typeof version !== 'string' || typeof versionHeader !== 'string') return []
  const [, lowest = ''] = /^(?:>=|[=^~])?\s*(\d[\w.-]*)/.exec(version) ?? []
  const plain = { kind: 'text', options: [], required: false } as const
  return [{ place: 'header', name: versionHeader, value: lowest, hint: version, ...plain }]
}

function formValue(record: RequestRecord, { place, name }: TryField): string | null {
  if (place === 'part') return null
  if (place === 'path') return record.params[name] ?? null
  if (place === 'query') return new URLSearchParams(record['url.query']).get(name)
  return record.request.headers.find(([field]) => field.toLowerCase() === name.toLowerCase())?.[1] ?? null
}

function formBody({ request }: RequestRecord): string | null {
  const text = request.body?.text ?? null
  try {
    return text === null ? null : JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** What was typed: a value for each field, by its index. */
interface TryValues {
  readonly values: readonly (string | readonly File[])[]
  readonly body: string | null
  /** Value of `Authorization`; empty for none. */
  readonly authorization: string
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
  const valueOf = (name: string) => filled.find((it) => it.place === 'path' && it.name === name)?.value ?? ''
  const path = form.template.replaceAll(SEGMENT, (_, name: string, rest?: string) =>
    rest === undefined ? encodeURIComponent(valueOf(name)) : valueOf(name).split('/').map(encodeURIComponent).join('/'),
  )
  const used = filled.filter((field) => field.value !== '')
  const query = new URLSearchParams(
    used.filter((field) => field.place === 'query').map(({ name, value }): [string, string] => [name, value]),
  )
  const typedHeaders: (readonly [string, string])[] = used
    .filter((field) => field.place === 'header')
    .map(({ name, value }) => [name, value])
  if (typed.authorization !== '') typedHeaders.push(['authorization', typed.authorization])
  if (typed.body !== null && form.type !== FORM) typedHeaders.push(['content-type', form.type])
  const isForm = form.type === FORM
  const names = new Set([...(isForm ? ['content-type'] : []), ...typedHeaders.map(([name]) => name.toLowerCase())])
  const baseHeaders = settable(base.headers).filter(([name]) => !names.has(name.toLowerCase()))
  return {
    method: form.method,
    url: `${base.origin}${path}${query.size === 0 ? '' : `?${query.toString()}`}`,
    headers: [...baseHeaders, ...typedHeaders],
    body: isForm ? null : typed.body,
    ...(isForm && { parts: toFormParts(filled) }),
  }
}

/** What is empty is left out. */
function toFormParts(
  fields: readonly (Pick<TryField, 'place' | 'name'> & { readonly given: readonly (string | File)[] })[],
): [name: string, value: string | File][] {
  return fields
    .filter(({ place }) => place === 'part')
    .flatMap(({ name, given }) =>
      given.filter((value) => value !== '').map((value): [string, string | File] => [name, value]),
    )
}
