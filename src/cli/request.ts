/** `verbena request`: shows one recorded request. */
import { EXIT, printResult, type Command } from './command.js'
import { MARKDOWN_OPTION, printsMarkdown } from './last.js'
import { describeRecord } from '../devconsole/wire/describe-record.js'
import { requestToMarkdown } from '../devconsole/wire/record-text.js'
import { formatRequest } from './records/format-request.js'
import { findRequest, openSource, SOURCE_OPTIONS } from './records/open-source.js'

export const request: Command = {
  name: 'request',
  summary: 'Show a request that was recorded',
  args: ['<id>'],
  options: { ...SOURCE_OPTIONS, markdown: MARKDOWN_OPTION },
  details: '<id> is in the lists of "verbena requests", in the lines of "verbena dev" and in the console.',
  example: 'request r_4k2xq0_17',
  async run(input, terminal) {
    const [id = ''] = input.args
    const isMarkdown = printsMarkdown(input)
    const shown = describeRecord(await findRequest(await openSource(input), id))
    const format = (): string => (isMarkdown ? requestToMarkdown(shown) : formatRequest(shown, terminal))
    await printResult(input, shown, format, terminal)
    return EXIT.fine
  },
}
