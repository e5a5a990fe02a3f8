/** Builds the site with the guides and the reference into `docs/api`, and checks its links and its search. */
import { executable, node } from './tools.mjs'

const STEPS = [[executable('typedoc')], ['scripts/site-links.mjs'], ['scripts/site-search.mjs']]

process.exitCode = STEPS.reduce((code, step) => code || node(step), 0)
