/** What the typed client asks for where a contract names a kind of body: types only. */

/** A body that the typed client sends as JSON. */
export interface AskedJson<T> {
  /** The value. */
  readonly body: T
}

/** A body that the typed client sends as a form. */
export interface AskedForm<T> {
  /** The values by key. */
  readonly body: T
  /** Tells the form from JSON. */
  readonly headers: {
    /** Of forms. */
    readonly 'content-type': 'application/x-www-form-urlencoded'
  }
}

/** A text that the typed client sends as it is. */
export interface AskedText {
  /** The text. */
  readonly body: string
  /** Tells the text from JSON. */
  readonly headers: {
    /** One that the contract takes. */
    readonly 'content-type': string
  }
}

/** Bytes that the typed client sends as they are. */
export interface AskedBytes {
  /** The bytes. */
  readonly body: Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>
  /** Tells the bytes from JSON. */
  readonly headers: {
    /** One that the contract takes. */
    readonly 'content-type': string
  }
}
