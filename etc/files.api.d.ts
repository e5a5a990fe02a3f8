import { Group, Reply, ReplyKind, FileMark, Headed, ResponseOptions } from './index.js'
interface FilesOptions {
  readonly index?: string | false
  readonly fallback?: string
  readonly maxAge?: number
  readonly public?: boolean
  readonly immutable?: boolean
  readonly dotfiles?: boolean
}
declare function files(root: string | URL, options?: FilesOptions): Group<{}>
interface SendFileOptions {
  readonly root?: string | URL
  readonly type?: string
  readonly download?: string
  readonly maxAge?: number
  readonly public?: boolean
  readonly immutable?: boolean
  readonly dotfiles?: boolean
}
interface FileContent extends AsyncIterable<Uint8Array> {
  readonly '~file': true
}
declare function sendFile(path: string | URL, options?: SendFileOptions): Reply<200, FileContent>
interface FileOptions extends ResponseOptions {
  readonly types?: readonly string[]
}
type FileKind<O> = ReplyKind<FileContent, AsyncIterable<Uint8Array>> &
  FileMark &
  (O extends Readonly<Record<'headers', infer H>> ? Headed<H> : unknown)
declare function file<const O extends FileOptions = {}>(options?: O): FileKind<O>
export { file, files, sendFile }
export type { FileContent, FileKind, FileOptions, FilesOptions, SendFileOptions }
