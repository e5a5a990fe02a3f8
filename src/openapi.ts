/** `verbena/openapi`: OpenAPI documents, compared. */

// # OpenAPI documents
export { breaking } from './breaking/breaking.js'
export type { BreakingChange } from './breaking/breaking.js'
