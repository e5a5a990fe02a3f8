/** Types for the part of busboy that the tests use; busboy has no types. */
declare module 'busboy' {
  import type { Readable } from 'node:stream'

  interface Busboy extends NodeJS.WritableStream {
    on(event: 'field', listener: (name: string, value: string) => void): this
    on(event: 'file', listener: (name: string, stream: Readable, info: { filename?: string }) => void): this
    on(event: string, listener: (...given: never[]) => void): this
  }
  export default function busboy(options: {
    headers: Readonly<Record<string, string>>
    defParamCharset: string
    limits?: Readonly<Record<string, number>>
  }): Busboy
}
