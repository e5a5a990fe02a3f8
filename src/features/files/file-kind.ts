/** `file`: the kind of response of endpoints that send a file. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { Kind, type FileMark, type Headed, type ReplyKind, type ResponseOptions } from '../../route/kinds.js'
import type { FileContent } from './send-file.js'

startStackAtCaller(file)

/** Options of `file`. */
export interface FileOptions extends ResponseOptions {
  /** Media types that the endpoint sends, such as `application/pdf` or `image/*`; default: any. Another type is a 500. */
  readonly types?: readonly string[]
}

/** Return type of `file`. */
export type FileKind<O> = ReplyKind<FileContent, AsyncIterable<Uint8Array>> &
  FileMark &
  (O extends Readonly<Record<'headers', infer H>> ? Headed<H> : unknown)

/**
 * Creates a kind of response for a GET that returns `sendFile(…)`. The OpenAPI document has all its responses: the file (200), a range of
 * it (206), 304, 412 and 416, and the request headers for them (RFC 9110 sections 13 and 14).
 *
 * @param options media types of the files, and a schema of response headers
 * @returns the kind, for `returns` in a contract
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, Route } from 'verbena'
 * import { file, sendFile } from 'verbena/files'
 *
 * class Manual extends Route {
 *   static readonly get = this.contract({ returns: file({ types: ['text/markdown'] }) })
 *   async get() {
 *     return sendFile('README.md')
 *   }
 * }
 * const app = createApp({ routes: { Manual } })
 * const { responses } = Object(app.openapi().paths['/manual']?.['get'])
 * Object.keys(responses) // => ['200', '206', '304', '412', '416', 'default']
 * ```
 */
export function file<const O extends FileOptions = {}>(options?: O): FileKind<O> {
  // Proof: the properties of the type are not present at run time.
  return new Kind('file', null, options) as unknown as FileKind<O>
}
