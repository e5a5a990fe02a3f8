/** The calls of `curl` in a Markdown text, and what of their output is the same each time. */

/** One call, and what it prints. */
export interface CurlCall {
  /** Number of its line in the text. */
  readonly line: number
  /** What stands behind `curl`, quotes taken off. */
  readonly args: readonly string[]
  /** The lines below it. */
  readonly output: string
}

const BLOCK = /^```console\n(?<text>[^]*?)^```$/gm
const CALL = /^\$ curl (?<command>.+)$/
const WORD = /'([^']*)'|([^\s'"\\]+)|(\S)/g

/** Lines of a head that each server, run or version of Node writes in its own way. */
const VOLATILE = /^(?:date|connection|keep-alive): .*\n/gim
const REQUEST_ID = /("requestId":"|^x-request-id: )[\w-]+/gim

/**
 * The calls in the `console` blocks of a text, in order.
 *
 * @param markdown the text
 * @returns them with their expected output
 * @throws Error for a line of a block that belongs to no call
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
 * Splits a command into words as a shell does, as far as documentation needs it.
 *
 * @param command words, bare or in single quotes
 * @returns the words
 * @throws Error for anything else that a shell would give a meaning to
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
 * Output without what differs from run to run: dates, connections and ids of requests.
 *
 * @param output of curl
 * @returns what can be compared; no empty lines at its end
 */
export function lasting(output: string): string {
  return `${output.replaceAll('\r\n', '\n')}\n`.replace(VOLATILE, '').replace(REQUEST_ID, '$1…').trimEnd()
}
