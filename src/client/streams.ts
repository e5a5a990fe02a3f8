/** Answers that come piece by piece: bytes, and events (WHATWG HTML section 9.2). Whoever stops reading ends them. */

/** Reads a stream chunk by chunk. */
export async function* readChunks<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, undefined> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Of a stream that has failed the failure is known already.
    reader.cancel().catch(() => {})
  }
}

/** Reads an event stream. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<object, void, undefined> {
  let text = ''
  let event: Record<string, unknown> = {}
  for await (const chunk of readChunks(stream.pipeThrough(new TextDecoderStream()))) {
    const lines = (text + chunk).split(/\r?\n/)
    text = `${lines.pop()}`
    for (const line of lines) {
      const [, name, value = ''] = /^(\w+): ?([^]*)/.exec(line) ?? []
      if (name) event[name] = /data|retry/.test(name) ? JSON.parse(value) : value
      if (line) continue
      if ('data' in event) yield event
      event = {}
    }
  }
}
