/** Schemas of media types, including the items of streams, which documents describe in several ways. */
import { child, schemaChild, type DocumentLocation } from './place.js'

/** The places of an old and a new schema; a value is `undefined` if the document has no schema there. */
type SchemaPair = readonly [before: DocumentLocation, after: DocumentLocation]

/**
 * Pairs the schemas of two Media Type Objects. `itemSchema` describes each item of a stream (OpenAPI 3.2.0 section 4.14.3). A document without
 * it describes the same items as an array, or as the content of a string.
 */
export function pairSchemas(before: DocumentLocation, after: DocumentLocation): SchemaPair[] {
  const hasItems = [before, after].map((media) => child(media, 'itemSchema').value !== undefined)
  if (hasItems[0] === hasItems[1]) return ['schema', 'itemSchema'].map((key) => [child(before, key), child(after, key)])
  const isContent = [before, after].some((media) => wholeContent(media).value !== undefined)
  return [
    isContent ? [describedContent(before), describedContent(after)] : [describedItem(before), describedItem(after)],
  ]
}

/** Returns the schema of the content of a string, with which OpenAPI 3.1 describes a whole stream. */
function wholeContent(media: DocumentLocation): DocumentLocation {
  return child(schemaChild(child(media, 'schema')), 'contentSchema')
}

/** Returns the schema of the JSON in a stream: the data of its events, or its lines. */
function describedContent(media: DocumentLocation): DocumentLocation {
  const whole = wholeContent(media)
  if (whole.value !== undefined) return whole
  const item = child(media, 'itemSchema')
  const data = child(child(schemaChild(item), 'properties'), 'data')
  const content = child(schemaChild(data), 'contentSchema')
  return content.value === undefined ? item : content
}

function describedItem(media: DocumentLocation): DocumentLocation {
  const item = child(media, 'itemSchema')
  return item.value === undefined ? child(schemaChild(child(media, 'schema')), 'items') : item
}
