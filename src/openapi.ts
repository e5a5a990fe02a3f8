/** `verbena/openapi`: comparison of OpenAPI documents. */

// # OpenAPI documents
export { breaking } from './openapi/breaking/breaking.js'
export type { BreakingChange, BreakingOptions } from './openapi/breaking/breaking.js'
