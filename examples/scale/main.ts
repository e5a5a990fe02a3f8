/** One process of the shop: on a socket behind nginx, or on a port in a container. `start.ts` starts four. */
import { shopApp } from './app.js'
import { settings } from './settings.js'

const { SOCKET: path, PORT: port } = settings
const app = shopApp()
await app.listen(path === undefined ? { host: '0.0.0.0', port } : { path })

// Only processes started by `start.ts` have an IPC channel. If `start.ts` has ended, nothing else would end this process.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
