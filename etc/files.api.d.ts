import { Group, Reply } from './index.js'
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
declare function sendFile(path: string | URL, options?: SendFileOptions): Reply<200, AsyncIterable<Uint8Array>>
export { files, sendFile }
export type { FilesOptions, SendFileOptions }
