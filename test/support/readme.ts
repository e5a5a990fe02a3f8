/** Reads the `curl` commands in Markdown, and removes the parts of their output that differ between runs. */

/** A command and its output. */
export interface CurlCall {
  /** Line number in the Markdown. */
  readonly line: number
  /** Arguments of `curl`, without quotes. */
  readonly args: readonly string[]
  /** Expected output. */
  readonly output: string
}

const BLOCK = /^```console\n(?<text>[^]*?)^```$/gm
const CALL = /^\$ curl (?<command>.+)$/
const WORD = /'([^']*)'|([^\s'"\\]+)|(\S)/g

/** Headers that differ between servers, runs or versions of Node. */
const VOLATILE = /^(?:date|connection|keep-alive|x-dev-console): .*\n/gim
const REQUEST_ID = /("requestId":"|^x-request-id: )[\w-]+/gim

/**
 * Returns the `curl` commands in `console` blocks with their expected output, in order.
 *
 * @throws Error if a block does not begin with a `curl` command
 */
export function curlCalls(markdown: string): CurlCall[] {
  return [...markdown.matchAll(BLOCK)].flatMap(({ index, groups }) => {
    const firstLine = markdown.slice(0, index).split('\n').length + 1
    return findCalls(groups?.['text'] ?? '', firstLine)
  })
}

function findCalls(text: string, firstLine: number): CurlCall[] {
  const lines = text.split('\n').slice(0, -1)
  const starts = lines.flatMap((line, index) => (CALL.test(line) ? [index] : []))
  if (starts[0] !== 0) throw new Error(`Cannot read line ${firstLine}: a console block begins with "$ curl …"`)
  return starts.map((start, at) => ({
    line: firstLine + start,
    args: listWords(CALL.exec(lines[start] ?? '')?.groups?.['command'] ?? ''),
    output: lines.slice(start + 1, starts[at + 1]).join('\n'),
  }))
}

/**
 * Splits a command into words as a shell does. Supports plain words and single quotes.
 *
 * @throws Error for other shell syntax
 */
export function listWords(command: string): string[] {
  return [...command.matchAll(WORD)].map(([, quoted, bare, other]) => {
    const word = quoted ?? bare
    if (word === undefined || (bare !== undefined && /[?*$&;|<>()`#~]/.test(bare))) {
      throw new Error(`Cannot read the command ${command}: quote ${bare ?? other} with '…'`)
    }
    return word
  })
}

/**
 * Removes dates, connection headers, request ids and trailing empty lines, which differ between runs.
 *
 * @param output output of curl
 */
export function lasting(output: string): string {
  return `${output.replaceAll('\r\n', '\n')}\n`.replace(VOLATILE, '').replace(REQUEST_ID, '$1…').trimEnd()
}
