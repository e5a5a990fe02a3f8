/** `verbena/openapi`: OpenAPI documents, compared. */

// # OpenAPI documents
export { breaking } from './breaking/breaking.js'
export type { BreakingChange, BreakingOptions } from './breaking/breaking.js'
