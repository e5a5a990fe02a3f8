/** Reads the body of a response as chunks, or as lines of text. */

/** Yields the chunks of a stream, and cancels it if the caller stops reading. */
export async function* readChunks<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, undefined> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Rejects if the stream has failed, but the caller already has that error.
    reader.cancel().catch(() => {})
  }
}

/** Yields the text of a stream, without a byte order mark. */
export function decodeStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  return readChunks(stream.pipeThrough(new TextDecoderStream()))
}

/** Yields the lines of each chunk, without their LF. Text after the last LF is discarded. */
export async function* readLines(text: AsyncIterable<string>): AsyncGenerator<string[], void, undefined> {
  let unfinishedLine = ''
  for await (const chunk of text) {
    const lines = chunk.split('\n')
    lines[0] = unfinishedLine + lines[0]
    unfinishedLine = `${lines.pop()}`
    yield lines
  }
}
