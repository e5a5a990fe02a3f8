/** From a response of the Fetch standard to the answer of a call. */
import { CONTENT_TYPE, type Given } from './request.js'

/** Reads a response: all of it, or of a stream its beginning. */
export async function readAnswer(response: Response, as: Given['as']): Promise<object> {
  const { status, headers, body } = response
  const type = headers.get(CONTENT_TYPE) ?? ''
  const ok = !type.includes('/problem+json')
  const form = (ok && as) || /^text(\/event)?|json/.exec(type)?.[0]
  return { ok, status, body: body && type ? await bodyOf(response, body, form) : null, headers }
}

async function bodyOf(response: Response, body: ByteStream, form: string | undefined): Promise<unknown> {
  if (form === 'stream') return readChunks(body)
  if (form === 'text/event') return readEvents(body)
  if (form === 'text') return response.text()
  if (form === 'json') return response.json()
  return new Uint8Array(await response.arrayBuffer())
}

type ByteStream = NonNullable<Response['body']>

/** Whoever stops reading ends the stream. */
async function* readChunks<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, undefined> {
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

/** Reads an event stream (WHATWG HTML section 9.2). */
async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<object, void, undefined> {
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
