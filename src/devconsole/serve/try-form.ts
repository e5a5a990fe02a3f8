/** The form that tries an endpoint out: a field for each parameter, and an example of the body. */
import { exampleOf } from './example.js'
import { listOf, objectOf, resolve, textOf, type Json } from '../wire/json-schema.js'
import { typeOf } from './schema-words.js'
import type { TryField, TryForm } from '../wire/view-types.js'

export function tryForm(document: Json, operation: Json): TryForm {
  const parameters = listOf(operation['parameters']).map((it) => resolve(document, it))
  const [body] = Object.entries(objectOf(resolve(document, operation['requestBody'])['content']))
  const [type, media] = body ?? ['application/json']
  return {
    fields: parameters.filter((it) => it['in'] !== 'cookie').map((it) => fieldOf(document, it)),
    body: media === undefined ? null : bodyOf(document, objectOf(media)),
    type,
  }
}

function fieldOf(document: Json, parameter: Json): TryField {
  const place = parameter['in']
  const schema = resolve(document, parameter['schema'])
  const choices = listOf(schema['enum']).map(String)
  const required = parameter['required'] === true
  const given = schema['example'] ?? schema['default'] ?? (required ? choices[0] : undefined)
  return {
    place: place === 'path' || place === 'header' ? place : 'query',
    name: textOf(parameter['name']),
    required,
    options: required || choices.length === 0 ? choices : ['', ...choices],
    kind: kindOf(schema, choices),
    value: given === undefined ? '' : String(given),
    hint: typeOf(document, parameter['schema']),
  }
}

function kindOf(schema: Json, choices: readonly string[]): TryField['kind'] {
  if (choices.length > 0) return 'select'
  if (schema['type'] === 'boolean') return 'checkbox'
  return schema['type'] === 'integer' || schema['type'] === 'number' ? 'number' : 'text'
}

function bodyOf(document: Json, media: Json): string {
  return JSON.stringify(media['example'] ?? exampleOf(document, media['schema']), null, 2)
}
