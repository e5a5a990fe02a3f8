/** The app of `CLASSES` classes for the command line. Prints the processor time from the call of `createApp` to the end, in µs. */
import { writeSync } from 'node:fs'
import { createRoutes } from './large-routes.mjs'

const verbena = await import(process.env['VERBENA_BUILD'])
const routes = createRoutes(verbena, Number(process.env['CLASSES']))
const before = process.cpuUsage()
process.on('exit', () => {
  const { user, system } = process.cpuUsage(before)
  writeSync(3, String(user + system))
})

export const app = verbena.createApp({ routes, logger: false })
