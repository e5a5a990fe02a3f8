/** `verbena breaking`: compares an app with an OpenAPI document that its clients use, or two documents. */
import { breaking as findChanges, type BreakingChange } from '../openapi/breaking/breaking.js'
import { attempt, CommandError, EXIT, printResult, readString, type Command, type CommandInput } from './command.js'
import { loadApp } from './load-module.js'
import { makeAppDocument, VERSION_OPTION } from './openapi.js'
import { isDocumentPath, readDocument } from './read-document.js'
import { formatCount, wrapText, type Terminal } from './terminal.js'

export const breaking: Command = {
  name: 'breaking',
  summary: 'Find changes that break clients',
  args: ['<module>', '<locked.json>'],
  options: { version: VERSION_OPTION },
  details:
    '<locked.json> is the document of the last release, from "verbena openapi <module> --out locked.json". ' +
    'With "verbena breaking <before.json> <after.json>", it compares two documents of OpenAPI 3.0, 3.1 or 3.2, of any framework.',
  example: 'breaking src/app.ts openapi.json',
  async run(input, terminal) {
    const [before, after] = await readBoth(input, terminal)
    const changes = attempt('', () => findChanges(before.document, after))
    await printResult(input, changes, () => formatBreaking(changes, before.path, terminal), terminal)
    return changes.length === 0 ? EXIT.fine : EXIT.findings
  },
}

async function readBoth(
  input: CommandInput,
  terminal: Terminal,
): Promise<readonly [before: { readonly path: string; readonly document: object }, after: object]> {
  const [first = '', second = ''] = input.args
  if (!isDocumentPath(first)) {
    const document = readDocument(second)
    return [{ path: second, document }, makeAppDocument(await loadApp(first, terminal), input)]
  }
  if (readString(input, 'version') !== undefined) {
    throw new CommandError('Cannot compare two documents with "--version", because only an app has versions. Remove it')
  }
  return [{ path: first, document: readDocument(first) }, readDocument(second)]
}

function formatBreaking(changes: readonly BreakingChange[], locked: string, terminal: Terminal): string {
  if (changes.length === 0) return `${terminal.style('green', 'No breaking changes')} since ${locked}`
  const blocks = changes.map(({ rule, message, pointer }) => {
    return `${terminal.style('red', rule)}\n${wrapText(message, terminal, '  ')}\n  ${terminal.style('dim', pointer)}`
  })
  return [...blocks, `${formatCount(changes.length, 'breaking change')} since ${locked}`].join('\n\n')
}
