/**
 * `verbena/openapi`: comparison of OpenAPI documents.
 *
 * @module
 */

// # OpenAPI documents
export { breaking } from './openapi/breaking/breaking.js'
export type { BreakingChange, BreakingOptions } from './openapi/breaking/breaking.js'
