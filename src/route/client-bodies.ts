/** Types of the bodies that the typed client sends. */

/** A body that the typed client sends as JSON. */
export interface JsonBody<T> {
  /** The value. */
  readonly body: T
}

/** A body that the typed client sends as a form. */
export interface FormBody<T> {
  /** The values by key. */
  readonly body: T
  /** Media type of the form; the default is JSON. */
  readonly headers: Readonly<Record<'content-type', 'application/x-www-form-urlencoded'>>
}

/** A text body that the typed client sends unchanged. */
export interface TextBody {
  /** The text. */
  readonly body: string
  /** Media type, which the contract must accept; the default is JSON. */
  readonly headers: Readonly<Record<'content-type', string>>
}

/** A binary body that the typed client sends unchanged. */
export interface BytesBody extends Partial<Pick<TextBody, 'headers'>> {
  /** Bytes; default type `application/octet-stream`, or the type of the `Blob`. A `FormData` is sent as `multipart/form-data`. */
  readonly body: Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> | FormData
}
