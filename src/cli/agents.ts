/** `verbena agents`: the block for coding agents in AGENTS.md of the current folder. */
import { compareLines, type LineChange } from '../prove/stored-file.js'
import { readAgentsFile, writeAgentsFile } from './agents/agents-file.js'
import { createBlock, type Block } from './agents/block.js'
import { AGENTS_FILE } from './agents/markers.js'
import { EXIT, printResult, type Command } from './command.js'
import { formatCount, wrapText, type Terminal } from './terminal.js'

/** The result, as `--json` prints it. */
interface AgentsResult {
  readonly file: string
  /** The change of the file. With `--check`, only `verbena agents` without it makes this change. */
  readonly action: 'create' | 'add' | 'renew' | 'none'
  /** Version of the installed package. */
  readonly version: string
  /** Version of the block before; `null` without a block. */
  readonly previous: string | null
  /** Numbers of the block of the installed version. */
  readonly mistakes: number
  readonly pages: number
  readonly bytes: number
  /** Lines of the block that differ; empty without a block. */
  readonly changes: readonly LineChange[]
}

export const agents: Command = {
  name: 'agents',
  summary: 'Write rules and pages for coding agents',
  args: [],
  options: { check: { type: 'boolean', help: 'Print how the block differs, and write nothing' } },
  details: `Writes or renews a block between two markers in ${AGENTS_FILE} of the current folder. Other lines stay the same. Run it again after each update of Verbena.`,
  example: 'agents --check',
  async run(input, terminal) {
    const block = createBlock()
    const file = readAgentsFile()
    const result = compareBlock(block, file)
    const isChecked = input.values['check'] === true
    const { action } = result
    if (!isChecked && action !== 'none') writeAgentsFile(file.withBlock(block.text), file.mode)
    const format = isChecked ? formatChecked : formatWritten
    await printResult(input, result, () => format(result, terminal), terminal)
    return isChecked && action !== 'none' ? EXIT.findings : EXIT.fine
  },
}

function compareBlock(
  { text, ...numbers }: Block,
  { mode, version: previous, block }: ReturnType<typeof readAgentsFile>,
): AgentsResult {
  const bytes = Buffer.byteLength(text)
  const base = { file: AGENTS_FILE, ...numbers, previous, bytes }
  if (mode === null) return { ...base, action: 'create', changes: [] }
  if (previous === null) return { ...base, action: 'add', changes: [] }
  const changes = compareLines(block.split('\n'), text.split('\n'))
  return { ...base, action: changes.length === 0 ? 'none' : 'renew', changes }
}

function formatWritten({ action, version, mistakes, pages, bytes }: AgentsResult, terminal: Terminal): string {
  if (action === 'none') return `${AGENTS_FILE} has the block of Verbena ${version}`
  const content = `${formatCount(mistakes, 'mistake')} and ${formatCount(pages, 'page')} of Verbena ${version}`
  return wrapText(`Wrote ${AGENTS_FILE} with ${content} (${bytes.toLocaleString('en')} bytes)`, terminal)
}

const FIX = 'with "npx verbena agents"'

function formatChecked({ action, version, previous, changes }: AgentsResult, terminal: Terminal): string {
  const { style } = terminal
  if (action === 'none') return `${style('green', 'No changes')} in the block of ${AGENTS_FILE}`
  if (action === 'create') return `${AGENTS_FILE} does not exist. Write it ${FIX}`
  if (action === 'add') return `${AGENTS_FILE} has no block of Verbena. Add it ${FIX}`
  const lines = changes.map(({ sign, line }) => style(sign === '-' ? 'red' : 'green', `${sign} ${line}`))
  const state = `The block of Verbena ${previous} in ${AGENTS_FILE} differs from Verbena ${version}: "-" is only in the file, "+" only in the package. Renew it ${FIX}`
  return [...lines, '', wrapText(state, terminal)].join('\n')
}
