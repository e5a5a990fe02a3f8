/** `verbena agent`: the other commands as tools for coding agents. */
import { serveAgent } from './agent/serve-agent.js'
import { EXIT, type Command } from './command.js'
import { SOURCE_OPTIONS } from './records/open-source.js'

export const agent: Command = {
  name: 'agent',
  summary: 'Serve the commands to coding agents (MCP)',
  args: [],
  options: {
    ...SOURCE_OPTIONS,
    app: { type: 'string', value: '<module>', help: 'Module for the tools routes, explain and check' },
  },
  details:
    'A client of the Model Context Protocol starts it in the folder of the project. The guide "Command line" has the settings of common clients.',
  example: 'agent --app src/app.ts',
  async run(input, terminal) {
    await serveAgent(input, process.stdin, terminal.print)
    return EXIT.fine
  },
}
