/** Writes the pages of the examples in docs/README.md, which typedoc then adds to the site. */
import { listExamples } from './site/sections.mjs'
import { writeExamples } from './site/examples.mjs'

writeExamples(listExamples())
