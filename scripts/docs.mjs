/** Builds the site with the guides and the reference into `docs/api`, and checks its links. */
import { executable, node } from './tools.mjs'

process.exitCode = node([executable('typedoc')]) || node(['scripts/site-links.mjs'])
