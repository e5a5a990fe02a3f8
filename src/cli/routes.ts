/** `verbena routes`: lists the endpoints of an app. */
import { EXIT, printResult, type Command } from './command.js'
import { listEndpoints, showEndpoints, type ShownEndpoint } from './endpoints.js'
import { loadApp } from './load-module.js'
import { warnWithoutPlaces } from './permission.js'
import { formatPlace } from '../prove/source-places.js'
import { formatTable, type Column, type Terminal } from './terminal.js'

export const routes: Command = {
  name: 'routes',
  summary: 'List the endpoints of an app',
  args: ['<module>'],
  options: {},
  details: 'The last column is the place of the method. "public" is an endpoint with "public: true".',
  example: 'routes src/app.ts',
  async run(input, terminal) {
    const [module = ''] = input.args
    const { parts } = await loadApp(module, terminal)
    warnWithoutPlaces(terminal)
    const endpoints = showEndpoints(listEndpoints(parts.registry))
    await printResult(input, endpoints, () => formatRoutes(endpoints, terminal), terminal)
    return EXIT.fine
  },
}

function formatRoutes(endpoints: readonly ShownEndpoint[], terminal: Terminal): string {
  const isVersioned = endpoints.some(({ version }) => version !== null)
  const columns: Column[] = [
    { title: 'METHOD', paint: (text) => terminal.style('cyan', text) },
    { title: 'PATH', paint: (text) => terminal.style('bold', text) },
    ...(isVersioned ? [{ title: 'VERSION' }] : []),
    { title: 'GUARDS' },
    { title: 'CLASS' },
    { title: 'FILE', paint: (text) => terminal.style('dim', text) },
  ]
  const rows = endpoints.map((endpoint) => {
    const { method, path, version, guards, class: name } = endpoint
    const access = guards.join(', ') || (endpoint.public ? 'public' : '-')
    return [method, path, ...(isVersioned ? [version ?? '-'] : []), access, name, formatPlace(endpoint)]
  })
  return formatTable(columns, rows, terminal)
}
