/** OpenAPI description of a form: its fields and files, and the media types of files and JSON fields (OpenAPI 3.1.1 section 4.8.15). */
import type { ShownBody, ShownMembers } from '../../route/body-reader.js'
import type { JsonSchema } from '../../validation/json-schema.js'
import type { FileRule, FileRules } from './form-types.js'

export function describeForm({ named, rest }: ShownMembers, files: FileRules): ShownBody {
  const rules = Object.entries(files)
  const fields = named.map(({ name, schema }) => [name, schema] as const)
  const neededFiles = rules.filter(([, { optional }]) => optional !== true)
  const needed = [
    ...named.filter(({ required }) => required).map(({ name }) => name),
    ...neededFiles.map(([name]) => name),
  ]
  // Text fields have no entry: orval sends a field with the type text/plain as a file.
  const types = [
    ...named.filter(({ isJson }) => isJson).map(({ name }) => [name, 'application/json'] as const),
    ...rules.map(([name, { types: taken = ['*/*'] }]) => [name, taken.join(', ')] as const),
  ]
  const schema = {
    type: 'object',
    properties: Object.fromEntries([...fields, ...rules.map(([name, rule]) => [name, fileSchema(rule)] as const)]),
    ...(needed.length > 0 && { required: needed }),
    ...(rest !== undefined && { additionalProperties: rest }),
  }
  const encoding = Object.fromEntries(types.map(([name, contentType]) => [name, { contentType }]))
  return { isRequired: needed.length > 0, media: { schema, ...(types.length > 0 && { encoding }) } }
}

/**
 * JSON Schema has no type for bytes, so `contentMediaType` marks them. Client generators map `application/octet-stream` to `Blob`. The
 * accepted media types are in `encoding`.
 */
const FILE: JsonSchema = { contentMediaType: 'application/octet-stream' }

function fileSchema({ count, optional }: FileRule): JsonSchema {
  if (count === undefined) return FILE
  return { type: 'array', items: FILE, ...(optional !== true && { minItems: 1 }), maxItems: count }
}
