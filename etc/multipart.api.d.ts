import { Schema, BodyKind, Out, In } from './index.js'
interface FileRule {
  readonly types?: readonly string[]
  readonly limit?: number
  readonly optional?: boolean
  readonly count?: number
}
interface MultipartOptions<Files = FileRules> {
  readonly files?: Files
  readonly limit?: number
  readonly total?: number
  readonly folder?: string
  readonly memory?: number
}
interface FileRules {
  readonly [name: string]: FileRule
}
interface SeveralFiles {
  readonly count: number
}
interface OptionalPart {
  readonly optional: true
}
type FileOf<R> = R extends SeveralFiles ? readonly File[] : R extends OptionalPart ? File | undefined : File
type FilesOf<F> = {
  readonly [K in keyof F]: FileOf<F[K]>
}
interface MultipartBody<Fields, Files> {
  readonly fields: Fields
  readonly files: FilesOf<Files>
}
interface FieldTexts {
  readonly [name: string]: string | readonly string[] | undefined
}
type BlobOf<R> = R extends SeveralFiles ? readonly Blob[] : Blob
type OptionalNames<F> = {
  [K in keyof F]: F[K] extends OptionalPart ? K : never
}[keyof F]
type BlobsOf<F> = {
  readonly [K in Exclude<keyof F, OptionalNames<F>>]: BlobOf<F[K]>
} & {
  readonly [K in OptionalNames<F>]?: BlobOf<F[K]> | undefined
}
type FormMember<Name extends string, Value> = {} extends Value
  ? {
      readonly [K in Name]?: Value
    }
  : {
      readonly [K in Name]: Value
    }
type MultipartRequestBody<Fields, Files> = MultipartObjectBody<Fields, Files> | FormDataBody
interface MultipartObjectBody<Fields, Files> {
  readonly body: FormMember<'fields', Fields> & FormMember<'files', BlobsOf<Files>>
  readonly headers: Readonly<Record<'content-type', 'multipart/form-data'>>
}
interface FormDataBody {
  readonly body: FormData
}
declare function multipart<S extends Schema, const F extends FileRules = {}>(
  schema: S,
  options?: MultipartOptions<F>,
): BodyKind<MultipartBody<Out<S>, F>, MultipartRequestBody<In<S>, F>>
declare function multipart<const F extends FileRules = {}>(
  options?: MultipartOptions<F>,
): BodyKind<MultipartBody<FieldTexts, F>, MultipartRequestBody<FieldTexts, F>>
interface Part extends AsyncIterable<Uint8Array> {
  readonly name: string
  readonly filename: string | undefined
  readonly type: string
  text(limit?: number): Promise<string>
  bytes(limit?: number): Promise<Uint8Array>
}
interface PartsOptions {
  readonly limit?: number
  readonly total?: number
}
declare function parts(options?: PartsOptions): BodyKind<AsyncIterable<Part>, FormDataBody>
export { multipart, parts }
export type {
  BlobOf,
  BlobsOf,
  FieldTexts,
  FileOf,
  FileRule,
  FileRules,
  FilesOf,
  FormDataBody,
  MultipartBody,
  MultipartObjectBody,
  MultipartOptions,
  MultipartRequestBody,
  Part,
  PartsOptions,
}
