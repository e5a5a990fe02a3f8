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

/** Yields the complete lines of each chunk, without LF, CR or CRLF. The last array has the text after the last line, or an empty string. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string[], string, undefined> {
  let rest = ''
  let isAfterReturn = false
  // The decoder removes a byte order mark.
  for await (const chunk of readChunks(stream.pipeThrough(new TextDecoderStream()))) {
    // A CR ends its line immediately. The next chunk can begin with the LF of a CRLF.
    const lines = (isAfterReturn ? chunk.replace(/^\n/, '') : chunk).split(/\r\n?|\n/)
    isAfterReturn = chunk.endsWith('\r')
    lines[0] = rest + lines[0]
    rest = `${lines.pop()}`
    yield lines
  }
  return rest
}
