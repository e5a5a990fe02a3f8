/** `verbena/openapi`: OpenAPI documents, compared. */

// # OpenAPI documents
export { breaking } from './openapi/breaking/breaking.js'
export type { BreakingChange, BreakingOptions } from './openapi/breaking/breaking.js'
