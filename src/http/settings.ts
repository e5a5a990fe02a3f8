/** The limits and time-outs that a server holds by itself; 0 switches a time-out off. */

/** What a server holds. */
export interface ServerSettings {
  /** Bytes of a request's head. */
  readonly headerBytes: number
  /** Connections at once; `undefined` for no limit. */
  readonly connections: number | undefined
  /** ms until a head must be complete. */
  readonly headersTimeout: number
  /** ms that an idle connection is kept. */
  readonly keepAliveTimeout: number
  /** ms to the first byte of a body and between its bytes. */
  readonly bodyTimeout: number
  /** ms in which a reader must take something of an answer, and 1 kB a second on average. */
  readonly writeTimeout: number
  /** Fields of a request's head. */
  readonly headers: number
}
