/**
 * `verbena/lines`: JSON Lines as bodies and responses.
 *
 * @module
 */

// # JSON Lines
export { jsonLines } from './features/lines/lines.js'
export type { JsonLinesOptions } from './features/lines/lines.js'

// # Inferred types
export type { JsonLinesKind, LinesBody } from './features/lines/lines.js'
