/** Types of `multipart`: its options, the body in the handler, and the form in the typed client. */

/** Rule for the files of one part name. */
export interface FileRule {
  /** Accepted media types, such as `image/png` or `image/*`; default: any. The client states the type, and the content is not checked. */
  readonly types?: readonly string[]
  /** Maximum bytes of each file; default: `limit` of the form. */
  readonly limit?: number
  /** Whether the file may be missing. */
  readonly optional?: boolean
  /** Maximum number of files. If it is set, the handler receives a list, which is empty only if the rule is `optional`. */
  readonly count?: number
}

/** Options of `multipart`. */
export interface MultipartOptions<Files = FileRules> {
  /** Rules by part name. Files with any other name are rejected. */
  readonly files?: Files
  /** Maximum bytes of each file without its own limit; default: `limits.body` of the app. */
  readonly limit?: number
  /** Maximum bytes of the whole body; default: the sum of all file limits and `limits.body` of the app. */
  readonly total?: number
  /** Directory for larger files, which are deleted when the request is done; default: all files stay in memory. */
  readonly folder?: string
  /** Maximum bytes of a file in memory, if `folder` is set; default 65,536. */
  readonly memory?: number
}

/** Rules by part name. */
export interface FileRules {
  readonly [name: string]: FileRule
}

/** A rule for several files. */
interface SeveralFiles {
  readonly count: number
}

/** A rule for files that may be missing. */
interface OptionalPart {
  readonly optional: true
}

/** Value of a rule in the handler: a `File`, `undefined` if it may be missing, or a list. */
export type FileOf<R> = R extends SeveralFiles ? readonly File[] : R extends OptionalPart ? File | undefined : File

/** Files in the handler, by part name. */
export type FilesOf<F> = { readonly [K in keyof F]: FileOf<F[K]> }

/** A form in the handler. */
export interface MultipartBody<Fields, Files> {
  /** Output of the schema; without a schema, strings by name. */
  readonly fields: Fields
  /** Files by part name. */
  readonly files: FilesOf<Files>
}

/** Fields without a schema: a string, or an array if the name is repeated. */
export interface FieldTexts {
  readonly [name: string]: string | readonly string[] | undefined
}

/** Value of a rule in the typed client: a `Blob` or a list. */
export type BlobOf<R> = R extends SeveralFiles ? readonly Blob[] : Blob

type OptionalNames<F> = { [K in keyof F]: F[K] extends OptionalPart ? K : never }[keyof F]

/** Files in the typed client, by part name. */
export type BlobsOf<F> = { readonly [K in Exclude<keyof F, OptionalNames<F>>]: BlobOf<F[K]> } & {
  readonly [K in OptionalNames<F>]?: BlobOf<F[K]> | undefined
}

type FormMember<Name extends string, Value> = {} extends Value
  ? { readonly [K in Name]?: Value }
  : { readonly [K in Name]: Value }

/** A form in the typed client: fields and files by name, or a `FormData`. */
export type MultipartRequestBody<Fields, Files> = MultipartObjectBody<Fields, Files> | FormDataBody

/** A form in the typed client, with fields and files by name. */
export interface MultipartObjectBody<Fields, Files> {
  /** Fields and files by name. */
  readonly body: FormMember<'fields', Fields> & FormMember<'files', BlobsOf<Files>>
  /** Makes the typed client send a form instead of JSON. */
  readonly headers: Readonly<Record<'content-type', 'multipart/form-data'>>
}

/** A form in the typed client, as a `FormData`. */
export interface FormDataBody {
  /** The form. */
  readonly body: FormData
}
