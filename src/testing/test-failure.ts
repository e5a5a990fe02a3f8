/** What fails a test that has done nothing wrong itself: an answer that nobody documents, or something left open. */

/** Thrown by a test app: by a call whose answer is not in the document, and by `close` where something was left open. */
export class TestFailure extends Error {
  /**
   * @param message what cannot be, and the way out
   * @param options `cause`, where an error is behind it
   */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TestFailure'
  }
}
