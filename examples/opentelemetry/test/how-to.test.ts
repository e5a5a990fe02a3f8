/** Task pages with OpenTelemetry. */
import { join } from 'node:path'
import { EXAMPLE_PAGES } from '../../../test/support/how-to.js'
import { testPages } from '../../../test/support/how-to-tests.js'

testPages(EXAMPLE_PAGES.opentelemetry, { folder: join('.cache', 'how-to'), project: 'tsconfig.json' })
