/** `verbena breaking`: compares an app with an OpenAPI document that its clients use. */
import { readFileSync } from 'node:fs'
import { breaking as findChanges, type BreakingChange } from '../openapi/breaking/breaking.js'
import { isRecord } from '../values/objects.js'
import { attempt, CommandError, EXIT, printResult, type Command } from './command.js'
import { loadApp } from './load-module.js'
import { makeDocument, VERSION_OPTION } from './openapi.js'
import { formatCount, wrapText, type Terminal } from './terminal.js'

export const breaking: Command = {
  name: 'breaking',
  summary: 'Find changes that break clients',
  args: ['<module>', '<locked.json>'],
  options: { version: VERSION_OPTION },
  details: '<locked.json> is the document of the last release, from "verbena openapi <module> --out locked.json".',
  example: 'breaking src/app.ts openapi.json',
  async run(input, terminal) {
    const [module = '', locked = ''] = input.args
    const before = readDocument(locked)
    const after = makeDocument(await loadApp(module, terminal), input)
    const changes = attempt('', () => findChanges(before, after))
    await printResult(input, changes, () => formatChanges(changes, locked, terminal), terminal)
    return changes.length === 0 ? EXIT.fine : EXIT.findings
  },
}

function readDocument(path: string): object {
  const cannot = `Cannot read "${path}": `
  const text = attempt(cannot, () => readFileSync(path, 'utf8'))
  const document: unknown = attempt(`${cannot}it is not JSON. `, () => JSON.parse(text))
  if (isRecord(document)) return document
  throw new CommandError(`${cannot}it must be an OpenAPI 3.1 document. Write it with "verbena openapi <module> --out"`)
}

function formatChanges(changes: readonly BreakingChange[], locked: string, terminal: Terminal): string {
  if (changes.length === 0) return `${terminal.style('green', 'No breaking changes')} since ${locked}`
  const blocks = changes.map(({ rule, message, pointer }) => {
    return `${terminal.style('red', rule)}\n${wrapText(message, terminal, '  ')}\n  ${terminal.style('dim', pointer)}`
  })
  return [...blocks, `${formatCount(changes.length, 'breaking change')} since ${locked}`].join('\n\n')
}
