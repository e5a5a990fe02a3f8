/** Reads values of unknown type in an OpenAPI document, for the page, which imports only this folder. */
export {
  isJson,
  listOrEmpty,
  objectOrEmpty,
  resolveSchema,
  stringOrEmpty,
  type JsonRecord,
} from '../../openapi/reading/json.js'
