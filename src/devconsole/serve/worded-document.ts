/**
 * The OpenAPI document for the page: every schema in words, and every operation with the form that tries it out. The page need
 * not make them then.
 */
import { isJson, objectOf, type Json } from '../wire/json-schema.js'
import { typeOf } from './schema-words.js'
import { tryForm } from './try-form.js'

/** Keys of a schema that hold schemas. */
const INSIDE = ['properties', 'items', 'allOf', 'anyOf', 'oneOf']

/** Adds the words, as `x-type`, and the forms, as `x-form`. */
export function documented(document: Json): Json {
  const paths = mapped(document['paths'], (item) =>
    mapped(item, (operation) =>
      isJson(operation) ? { ...withWords(document, operation), 'x-form': tryForm(document, operation) } : operation,
    ),
  )
  const components = objectOf(document['components'])
  const schemas = mapped(components['schemas'], (schema) => worded(document, schema))
  return { ...document, paths, components: { ...withWords(document, components), schemas } }
}

/** Parameters, headers and media types have their schema under that key. */
function withWords(document: Json, parent: Json): Json {
  return mapped(parent, (value, key) => {
    if (key === 'schema') return worded(document, value)
    if (Array.isArray(value)) return value.map((item) => (isJson(item) ? withWords(document, item) : item))
    return isJson(value) && key !== 'example' ? withWords(document, value) : value
  })
}

function worded(document: Json, schema: unknown): unknown {
  if (!isJson(schema)) return schema
  const inside = INSIDE.filter((key) => key in schema).map((key) => [key, wordedPart(document, key, schema[key])])
  return { ...schema, ...Object.fromEntries(inside), 'x-type': typeOf(document, schema) }
}

function wordedPart(document: Json, key: string, part: unknown): unknown {
  if (Array.isArray(part)) return part.map((it) => worded(document, it))
  return key === 'properties' ? mapped(part, (it) => worded(document, it)) : worded(document, part)
}

function mapped(value: unknown, change: (member: unknown, name: string) => unknown): Json {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([name, member]) => [name, change(member, name)]))
}
