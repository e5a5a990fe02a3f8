/** Lines of a stream, with bounded length. */

/** Longest line, in bytes. */
export const MAX_LINE_BYTES: number = 1024 * 1024

/** Yields each line without its line break, and `null` for a line that is too long, which is skipped. */
export async function* readInputLines(input: AsyncIterable<Buffer>): AsyncGenerator<string | null> {
  let parts: Buffer[] = []
  let size = 0
  const add = (part: Buffer): void => {
    size += part.length
    if (size > MAX_LINE_BYTES) parts = []
    else parts.push(part)
  }
  const finish = (): string | null => {
    const line = size > MAX_LINE_BYTES ? null : Buffer.concat(parts).toString()
    parts = []
    size = 0
    return line
  }
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      add(chunk.subarray(start, end))
      yield finish()
      start = end + 1
    }
    add(chunk.subarray(start))
  }
  yield finish()
}
