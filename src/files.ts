/** `verbena/files`: folders of files as routes, and files as answers. */

// # Files
export { files } from './files/files.js'
export type { FilesOptions } from './files/files.js'
export { sendFile } from './files/send-file.js'
export type { SendFileOptions } from './files/send-file.js'
