/** One operation: a closed section with everything that a client needs to call it. */
import { SAFE_METHODS } from '../http/methods.js'
import { cutText, printJson, readSchema, referenceName } from '../openapi/reading/format-type.js'
import { objectOrEmpty, resolveSchema, stringOrEmpty, type JsonRecord } from '../openapi/reading/json.js'
import { clientLine, curlLine, chooseExample, listMedia } from './commands.js'
import { markup, type Content, type Html } from './html.js'
import { headersView, mediaView } from './media-view.js'
import { isError, listResponses, MAX_ITEMS, type Model, type ShownOperation, type StatusResponse } from './model.js'
import type { PageOptions } from './page-options.js'
import { fieldsView, typeView } from './schema-view.js'
import { listRequirements, requirementsView } from './security-view.js'
import { paragraphs } from './text.js'

const MAX_PATH_LENGTH = 300
const MAX_EXAMPLE_IF_LARGE = 200

export function operationView(model: Model, operation: ShownOperation, options: PageOptions): Html {
  const { about, id, method, path } = operation
  const isOld = about['deprecated'] === true
  const needsCredentials = listRequirements(model, about).some((names) => names.length > 0)
  return markup`<details><summary>${methodMark(method)}<code>${pathView(path)}</code><span>${formatTitle(operation)}</span>${isOld && markup`<i>deprecated</i>`}${needsCredentials && markup`<i class="key">auth</i>`}</summary><div id="${id}"><div>${readView(model, operation)}</div><div>${samplesView(model, operation, options)}</div></div></details>`
}

/** Returns the method with its color. */
export function methodMark(method: string): Html {
  if (SAFE.has(method)) return markup`<b class=r>${method}</b>`
  return method === 'DELETE' ? markup`<b class=d>${method}</b>` : markup`<b class=w>${method}</b>`
}

/** Documents of other frameworks can contain TRACE. */
const SAFE: ReadonlySet<string> = new Set([...SAFE_METHODS, 'TRACE'])

export function formatTitle({ about }: ShownOperation): string {
  return cutText(stringOrEmpty(about['summary']) || stringOrEmpty(about['operationId']), MAX_PATH_LENGTH)
}

/** Marks the parameters of a path. */
function pathView(path: string): Content {
  const parts = cutText(path, MAX_PATH_LENGTH).split(/(\{[^{}]*\})/)
  return parts.map((part, index) => (index % 2 === 1 ? markup`<var>${part}</var>` : part))
}

function readView(model: Model, operation: ShownOperation): Content {
  const { about } = operation
  const responses = listResponses(model, about)
  return [
    deprecationView(about),
    paragraphs(stringOrEmpty(about['description'])),
    requirementsView(model, about),
    limitsView(responses),
    idempotencyView(operation),
    parametersView(model, operation),
    bodyView(model, about),
    responsesView(model, responses),
  ]
}

function deprecationView(about: JsonRecord): Content {
  const sunset = stringOrEmpty(about['x-sunset']).slice(0, 40)
  if (about['deprecated'] !== true && sunset === '') return null
  const end = sunset !== '' && markup` It will be removed on <time>${sunset.slice(0, 10)}</time>.`
  return markup`<p class="note">This operation is deprecated. Do not use it in new code.${end}</p>`
}

function limitsView(responses: readonly StatusResponse[]): Content {
  if (!responses.some(({ status }) => status === '429')) return null
  const headers = responses.flatMap(({ response }) => Object.keys(objectOrEmpty(response['headers'])))
  const names = [...new Set(headers)].filter((name) => /^(?:x-)?ratelimit/i.test(name)).slice(0, MAX_ITEMS)
  return markup`<p>Requests are limited; above the limit, the status is 429.${names.length > 0 && markup` Responses contain the rest in <code>${names.join(', ')}</code>.`}</p>`
}

function idempotencyView({ parameters }: ShownOperation): Content {
  const headers = parameters.filter((parameter) => parameter['in'] === 'header')
  const key = headers.find(({ name }) => stringOrEmpty(name).toLowerCase() === 'idempotency-key')
  return (
    key !== undefined &&
    markup`<p>If you get no response, repeat the request with the same <code>${stringOrEmpty(key['name'])}</code>; it runs only once.</p>`
  )
}

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['querystring', 'Query string'],
  ['header', 'Headers'],
  ['cookie', 'Cookies'],
] as const

function parametersView(model: Model, { parameters }: ShownOperation): Content {
  return PLACES.map(([place, title]) => {
    const own = parameters.filter((parameter) => parameter['in'] === place)
    return own.length > 0 && markup`<h3>${title}</h3><ul class=f>${own.map((each) => parameterRow(model, each))}</ul>`
  })
}

function parameterRow(model: Model, parameter: JsonRecord): Html {
  const { name, required, deprecated, description } = parameter
  const [media] = listMedia(parameter)
  const schema = parameter['schema'] ?? media?.about['schema']
  const about = description ?? readSchema(model.document, schema)['description']
  return markup`<li><b>${stringOrEmpty(name)}</b> ${typeView(model, schema)}${required === true && markup` <em>required</em>`}${deprecated === true && markup` <i>deprecated</i>`}${paragraphs(stringOrEmpty(about))}</li>`
}

function bodyView(model: Model, about: JsonRecord): Content {
  const body = resolveSchema(model.document, about['requestBody'])
  const medias = listMedia(body)
  if (medias.length === 0) return null
  const isRequired = body['required'] === true
  return markup`<h3>Request body${isRequired && markup` <em>required</em>`}</h3>${paragraphs(stringOrEmpty(body['description']))}${mediaView(model, medias)}`
}

function responsesView(model: Model, all: readonly StatusResponse[]): Content {
  const errors = all.filter(({ status }) => isError(status))
  const others = all.filter(({ status }) => !isError(status))
  return [
    others.length > 0 && markup`<h3>Responses</h3>${others.map((each) => responseView(model, each))}`,
    errors.length > 0 && markup`<h3>Errors</h3>${errorGroups(model, errors)}`,
  ]
}

function responseView(model: Model, { status, response }: StatusResponse): Html {
  const medias = listMedia(response)
  return markup`<div><p>${statusMark(status)} ${firstLine(response)}</p>${headersView(model, response['headers'])}${mediaView(model, medias)}</div>`
}

function statusMark(status: string): Html {
  const name = status === 'default' ? 'other' : status.slice(0, 20)
  return markup`<b>${name}</b>`
}

function firstLine(response: JsonRecord): string {
  return cutText(stringOrEmpty(response['description']), 2_000)
}

/** Errors with the same schema share a row. */
function errorGroups(model: Model, errors: readonly StatusResponse[]): Html[] {
  const groups = new Map<string, StatusResponse[]>()
  for (const error of errors) {
    const key = JSON.stringify(
      listMedia(error.response).map(({ about }) => objectOrEmpty(about['schema'])['$ref'] ?? error.status),
    )
    groups.set(key, [...(groups.get(key) ?? []), error])
  }
  return [...groups.values()].map((same) => errorGroup(model, same))
}

function errorGroup(model: Model, errors: readonly StatusResponse[]): Html {
  const rows = errors.map(({ status, response }) => markup`<li>${statusMark(status)} ${firstLine(response)}</li>`)
  const [media] = errors.flatMap(({ response }) => listMedia(response))
  if (media === undefined) return markup`<ul class=e>${rows}</ul>`
  const schema = media.about['schema']
  const isNamed = referenceName(schema) !== ''
  return markup`<ul class=e>${rows}<li>${typeView(model, schema)}${!model.isLarge && markup` <small>${media.type}</small>`}</li></ul>${!isNamed && fieldsView(model, schema)}`
}

function samplesView(model: Model, operation: ShownOperation, options: PageOptions): Content {
  if (operation.isWebhook) return exampleView(model, operation.about)
  const tryIt = options.tryIt?.(stringOrEmpty(operation.about['operationId']))
  return [
    sample('curl', curlLine(model, operation)),
    options.hasClient === true && sample('Typed client', clientLine(model, operation)),
    tryIt !== undefined && markup`<p><a class="btn" href="${tryIt}">Try it in the console</a></p>`,
    exampleView(model, operation.about),
  ]
}

/** Returns an example of the first response that is not an error. */
function exampleView(model: Model, about: JsonRecord): Content {
  const success = listResponses(model, about).find(({ status }) => !isError(status))
  const [media] = success === undefined ? [] : listMedia(success.response)
  if (media === undefined || !media.type.endsWith('json')) return null
  const example = chooseExample(model, media)
  const text = example === undefined ? '' : printJson(example)
  // A large page has only short examples.
  if (text === '' || (model.isLarge && text.length > MAX_EXAMPLE_IF_LARGE)) return null
  return sample(`Response ${success?.status}`, text)
}

function sample(title: string, text: string): Html {
  return markup`<h4>${title}</h4><pre>${text}</pre>`
}
