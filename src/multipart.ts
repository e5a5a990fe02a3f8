/**
 * `verbena/multipart`: forms with files.
 *
 * @module
 */

// # Multipart
export { multipart } from './features/multipart/multipart.js'
export type { MultipartOptions, FileRule } from './features/multipart/form-types.js'
export { parts } from './features/multipart/parts.js'
export type { Part, PartsOptions } from './features/multipart/parts.js'

// # Inferred types
export type {
  BlobOf,
  BlobsOf,
  FieldTexts,
  FileOf,
  FormDataBody,
  MultipartObjectBody,
  MultipartRequestBody,
} from './features/multipart/form-types.js'
export type { FileRules, FilesOf, MultipartBody } from './features/multipart/form-types.js'
