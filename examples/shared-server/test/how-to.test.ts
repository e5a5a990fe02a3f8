/** The task page with socket.io. */
import { join } from 'node:path'
import { EXAMPLE_PAGES } from '../../../test/support/how-to.js'
import { testPages } from '../../../test/support/how-to-tests.js'

testPages(EXAMPLE_PAGES['shared-server'], { folder: join('.cache', 'how-to'), project: 'tsconfig.json' })
