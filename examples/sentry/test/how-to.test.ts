/** The task page about Sentry, with a server that receives envelopes of the real transport. */
import { join } from 'node:path'
import { EXAMPLE_PAGES } from '../../../test/support/how-to.js'
import { testPages } from '../../../test/support/how-to-tests.js'
import { startReceiver } from './receiver.js'

testPages(EXAMPLE_PAGES.sentry, {
  folder: join('.cache', 'how-to'),
  project: 'tsconfig.json',
  servers: { 'report-errors-to-sentry': startReceiver },
})
