/** The task pages about mounted libraries, and the types of the example. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { EXAMPLE_PAGES } from '../../../test/support/how-to.js'
import { testPages } from '../../../test/support/how-to-tests.js'

const sources = ['.', 'test'].flatMap((folder) =>
  readdirSync(folder).flatMap((name) => (name.endsWith('.ts') ? [join(folder, name)] : [])),
)

testPages(EXAMPLE_PAGES.mounted, { folder: join('.cache', 'how-to'), project: 'tsconfig.json', sources })
