/** Builds the site with the guides, the examples and the reference into `docs/api`, and checks its links and its search, and writes `llms.txt`. */
import { executable, node } from './tools.mjs'

const STEPS = [
  [executable('typedoc')],
  ['scripts/site-links.mjs'],
  ['scripts/site-search.mjs'],
  ['scripts/llms-txt.mjs'],
]

process.exitCode = STEPS.reduce((code, step) => code || node(step), 0)
