/**
 * Runs all checks that must pass before a change is complete, the cheapest first. Stops at the first failed step.
 * `--skip <step>` skips a step, for example after it has just passed separately.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { capture, closingLines, executable, fail, seconds } from './tools.mjs'

const LINTED = ['src', 'test', 'console', 'scripts', 'codemods', 'examples', 'bench']

const DEAD = ['--include', 'files,exports,types']

const STEPS = [
  ['format', executable('prettier'), '--check', '.'],
  ['lint', executable('oxlint'), '--deny-warnings', ...LINTED],
  ['wording', 'scripts/words.mjs'],
  ['dead exports', executable('knip'), ...DEAD],
  ['regular expressions', '--import', 'tsx', 'scripts/regular-expressions.mjs'],
  ['entrances', 'scripts/entrances.mjs'],
  ['types', 'scripts/types.mjs'],
  ['cost of types', 'scripts/types-scale.mjs'],
  ['tests with coverage', 'scripts/test.mjs', '--coverage'],
  ['tests on dist, documented path', 'scripts/test.mjs', '--dist', '--documented'],
  ['docs', 'scripts/docs.mjs'],
  ['package', 'scripts/package.mjs'],
]

console.log(`Node ${process.versions.node}, ${availableParallelism()} processors`)
const begin = performance.now()
const summaries = []
const { skip } = parseArgs({ options: { skip: { type: 'string', multiple: true, default: [] } } }).values
const unknown = skip.find((skipped) => STEPS.every(([name]) => name !== skipped))
if (unknown !== undefined) fail(`Cannot skip "${unknown}": the steps are ${STEPS.map(([name]) => name).join(', ')}`)

for (const [name, ...args] of STEPS) {
  if (skip.includes(name)) {
    console.log(`skipped ${name}`)
    continue
  }
  const stepBegin = performance.now()
  const { code, output } = capture(process.execPath, args)
  if (code !== 0) {
    console.log(output)
    console.log(`FAILED  ${name}  ${seconds(stepBegin)}`)
    process.exit(1)
  }
  console.log(`ok      ${name}  ${seconds(stepBegin)}`)
  const summary = [...output.split('\n').filter((line) => line.startsWith('All files')), closingLines(output)]
  const text = summary.filter((line) => line !== '').join('\n')
  if (text !== '') {
    console.log(text)
    summaries.push(`${name}\n${closingLines(output)}`)
  }
}

console.log(`\n${summaries.join('\n')}\nAll checks passed in ${seconds(begin)}`)
