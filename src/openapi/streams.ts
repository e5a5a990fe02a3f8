/** Describes streams of items. OpenAPI 3.2 has `itemSchema` for them (OpenAPI 3.2.0 section 4.14.3). */
import type { OpenApiMediaType, OpenApiVersion } from '../setup/document-types.js'
import type { JsonSchema } from '../validation/json-schema.js'

/** Describes an event stream by the schema of its data. An item is an event whose fields are parsed (OpenAPI 3.2.0 section 4.14.4). */
export function describeEvents(data: JsonSchema, openapi: OpenApiVersion, errorEvent: string): OpenApiMediaType {
  const failure = `A failure is the last event: its name is "${errorEvent}", and its data is a problem`
  const description = `Events; the data of each is JSON that follows contentSchema. ${failure}`
  if (openapi === '3.1') return describeText('text/event-stream', description, data)
  const properties = {
    data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
    event: { type: 'string' },
    id: { type: 'string' },
    retry: { type: 'integer', minimum: 0 },
  }
  return { itemSchema: { type: 'object', description: failure, properties, required: ['data'] } }
}

/** Describes JSON Lines by the schema of an item. */
export function describeLines(item: JsonSchema, openapi: OpenApiVersion): OpenApiMediaType {
  if (openapi !== '3.1') return { itemSchema: item }
  return describeText('application/jsonl', 'Lines; each is JSON that follows contentSchema', item)
}

/** OpenAPI 3.1 cannot describe items, but JSON Schema can describe the content of a string. */
function describeText(contentMediaType: string, description: string, contentSchema: JsonSchema): OpenApiMediaType {
  return { schema: { type: 'string', description, contentMediaType, contentSchema } }
}
