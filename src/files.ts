/**
 * `verbena/files`: folders of files as routes, and files as responses.
 *
 * @module
 */

// # Files
export { files } from './features/files/files.js'
export type { FilesOptions } from './features/files/files.js'
export { file } from './features/files/file-kind.js'
export type { FileKind, FileOptions } from './features/files/file-kind.js'
export { sendFile } from './features/files/send-file.js'
export type { FileContent, SendFileOptions } from './features/files/send-file.js'
