/** `verbena surface`: everything that an app exposes, as text for a file, and a check of that file. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { compareBlocks, findFileFault, type BlockChange } from '../prove/stored-file.js'
import { FIRST_LINE, formatSurface, groupFields } from '../prove/surface.js'
import { attempt, CommandError, EXIT, printResult, readString, type Command, type CommandInput } from './command.js'
import { loadApp } from './load-module.js'
import type { Terminal } from './terminal.js'

export const surface: Command = {
  name: 'surface',
  summary: 'Show who may call what, and what leaves',
  args: ['<module>'],
  options: {
    write: { type: 'string', value: '<file>', help: 'Write the surface to a file' },
    check: { type: 'string', value: '<file>', help: 'Print the lines that differ from a file' },
  },
  details:
    'Lists each endpoint with its guards and its fields. Commit the file, and check it in CI. With --json, lists the fields that leave, each with its endpoints.',
  example: 'surface src/app.ts --check surface.txt',
  async run(input, terminal) {
    const [module = ''] = input.args
    const [write, check] = [readString(input, 'write'), readString(input, 'check')]
    if (write !== undefined && check !== undefined)
      throw new CommandError('Cannot write and check a surface at the same time. Remove "--write" or "--check"')
    const stored = check === undefined ? null : { path: check, file: readSurface(check, module) }
    const { parts } = await loadApp(module, terminal)
    const text = formatSurface(parts)
    if (stored !== null) return checkSurface({ ...stored, text }, input, terminal)
    if (write === undefined) await printResult(input, groupFields(parts), () => text.trimEnd(), terminal)
    else {
      attempt(`Cannot write "${write}": `, () => writeFileSync(write, text))
      await terminal.print(`Wrote ${write}`)
    }
    return EXIT.fine
  },
}

/** Reads a file before the app is loaded, because its faults do not depend on the app. */
function readSurface(path: string, module: string): string {
  const fix = `with "verbena surface ${module} --write ${path}"`
  if (!existsSync(path)) throw new CommandError(`Cannot check "${path}": the file does not exist. Write it ${fix}`)
  const text = attempt(`Cannot check "${path}": `, () => readFileSync(path, 'utf8'))
  const fault = findFileFault(text, FIRST_LINE)
  if (fault === null) return text
  throw new CommandError(`Cannot check "${path}": ${fault}. Write it again ${fix}`)
}

interface CheckedFile {
  readonly file: string
  readonly text: string
  readonly path: string
}

async function checkSurface({ file, text, path }: CheckedFile, input: CommandInput, terminal: Terminal) {
  const changes = compareBlocks(file, text)
  await printResult(input, changes, () => formatBlocks(changes, file === text, path, terminal), terminal)
  return file === text ? EXIT.fine : EXIT.findings
}

function formatBlocks(changes: readonly BlockChange[], isSame: boolean, path: string, { style }: Terminal): string {
  if (isSame) return `${style('green', 'No changes')} since ${path}`
  if (changes.length === 0) return `Only blank lines and the order of blocks differ from ${path}`
  const blocks = changes.map(({ heading, lines }) => {
    const shownLines = lines.map(({ sign, line }) => style(sign === '-' ? 'red' : 'green', `${sign} ${line}`))
    return (
      lines.some(({ line }) => line === heading) ? shownLines : [`  ${style('bold', heading)}`, ...shownLines]
    ).join('\n')
  })
  return [...blocks, `The app differs from ${path}: "-" is only in the file, "+" only in the app`].join('\n\n')
}
