/**
 * `verbena/files`: folders of files as routes, and files as responses.
 *
 * @module
 */

// # Files
export { files } from './features/files/files.js'
export type { FilesOptions } from './features/files/files.js'
export { sendFile } from './features/files/send-file.js'
export type { SendFileOptions } from './features/files/send-file.js'
