/** `verbena breaking`: compares an app with an OpenAPI document that its clients use. */
import { readFileSync } from 'node:fs'
import { breaking as findChanges, type BreakingChange } from '../openapi/breaking/breaking.js'
import { isRecord } from '../values/objects.js'
import { CommandError, EXIT, type Command } from './command.js'
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
  async run(given, terminal) {
    const [module = '', locked = ''] = given.args
    const before = readDocument(locked)
    const after = makeDocument(await loadApp(module, terminal), given)
    const changes = compare(before, after)
    await terminal.print(
      given.values['json'] === true ? JSON.stringify(changes, null, 2) : formatChanges(changes, locked, terminal),
    )
    return changes.length === 0 ? EXIT.fine : EXIT.findings
  },
}

function readDocument(path: string): object {
  const cannot = `Cannot read "${path}"`
  const text = read(path, cannot)
  try {
    const document: unknown = JSON.parse(text)
    if (isRecord(document)) return document
  } catch (error) {
    throw new CommandError(`${cannot}: it is not JSON. ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new CommandError(
    `${cannot}: it must be an OpenAPI 3.1 document. Write it with "verbena openapi <module> --out"`,
  )
}

function read(path: string, cannot: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandError(`${cannot}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function compare(before: object, after: object): BreakingChange[] {
  try {
    return findChanges(before, after)
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  }
}

function formatChanges(changes: readonly BreakingChange[], locked: string, terminal: Terminal): string {
  if (changes.length === 0) return `${terminal.style('green', 'No breaking changes')} since ${locked}`
  const blocks = changes.map(({ rule, message, pointer }) => {
    return `${terminal.style('red', rule)}\n${wrapText(message, terminal, '  ')}\n  ${terminal.style('dim', pointer)}`
  })
  return [...blocks, `${formatCount(changes.length, 'breaking change')} since ${locked}`].join('\n\n')
}
