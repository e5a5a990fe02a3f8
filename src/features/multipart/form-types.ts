/** What a contract says of a form, and what its handler and its clients get of it. */

/** What is taken of the files of one name. */
export interface FileRule {
  /** Media types, such as `image/png` or `image/*`; any unless given. It is the client that says the type. */
  readonly types?: readonly string[]
  /** Bytes of each; `limit` of all files unless given. */
  readonly limit?: number
  /** Whether none will do. */
  readonly optional?: boolean
  /** How many there may be, at least one unless `optional`: then the handler gets a list. */
  readonly count?: number
}

/** Which files are taken, and how much. */
export interface MultipartOptions<Files = FileRules> {
  /** Files by the names of their parts; a file of another name is refused. */
  readonly files?: Files
  /** Bytes of each file that has no limit of its own; `limits.body` of the app unless given. */
  readonly limit?: number
  /** Bytes of the whole body; unless given the limits of all files together and `limits.body` of the app. */
  readonly total?: number
  /** Where larger files are kept until the request is over; they are kept in memory unless given. */
  readonly folder?: string
  /** With `folder`: bytes of a file that may stay in memory; 65,536 unless given. */
  readonly memory?: number
}

/** Files by the names of their parts. */
export interface FileRules {
  readonly [name: string]: FileRule
}

/** A rule for several files. */
interface Several {
  readonly count: number
}

/** A rule for files that need not be there. */
interface OptionalPart {
  readonly optional: true
}

/** What the handler gets of the files of a rule. */
export type FileOf<R> = R extends Several ? readonly File[] : R extends OptionalPart ? File | undefined : File

/** What the handler gets of files. */
export type FilesOf<F> = { readonly [K in keyof F]: FileOf<F[K]> }

/** What the handler gets. */
export interface MultipartBody<Fields, Files> {
  /** What the schema gives; without one the texts by name. */
  readonly fields: Fields
  /** Files by the names of their parts. */
  readonly files: FilesOf<Files>
}

/** Texts of fields that no schema describes: an array where a name is repeated. */
export interface FieldTexts {
  readonly [name: string]: string | readonly string[] | undefined
}

/** What the typed client asks for of the files of a rule. */
export type AskedFile<R> = R extends Several ? readonly Blob[] : Blob

type OptionalNames<F> = { [K in keyof F]: F[K] extends OptionalPart ? K : never }[keyof F]

/** What the typed client asks for of files. */
export type AskedFiles<F> = { readonly [K in Exclude<keyof F, OptionalNames<F>>]: AskedFile<F[K]> } & {
  readonly [K in OptionalNames<F>]?: AskedFile<F[K]> | undefined
}

type Member<Name extends string, Value> = {} extends Value
  ? { readonly [K in Name]?: Value }
  : { readonly [K in Name]: Value }

/** A form with files that the typed client sends as `FormData`: by name, or as the platform has it. */
export type AskedMultipart<Fields, Files> = AskedMembers<Fields, Files> | AskedParts

/** Fields and files by name. */
export interface AskedMembers<Fields, Files> {
  /** Fields and files by name. */
  readonly body: Member<'fields', Fields> & Member<'files', AskedFiles<Files>>
  /** Tells the form from JSON. */
  readonly headers: Readonly<Record<'content-type', 'multipart/form-data'>>
}

/** A form that the typed client sends as the platform has it. */
export interface AskedParts {
  /** The form. */
  readonly body: FormData
}
