/** `verbena/multipart`: forms with files. */

// # Multipart
export { multipart } from './multipart/multipart.js'
export type { MultipartOptions, FileRule } from './multipart/form-types.js'
export { parts } from './multipart/parts.js'
export type { Part, PartsOptions } from './multipart/parts.js'

// # Inferred types
export type {
  AskedFile,
  AskedFiles,
  AskedMembers,
  AskedMultipart,
  AskedParts,
  FieldTexts,
  FileOf,
} from './multipart/form-types.js'
export type { FileRules, FilesOf, MultipartBody } from './multipart/form-types.js'
