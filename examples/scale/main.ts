/** One process of the shop: on a socket behind nginx, or on a port in a container. `start.ts` starts four of them. */
import { shopApp } from './app.js'
import { settings } from './settings.js'

const { SOCKET: path, PORT: port } = settings
const app = shopApp()
await app.listen(path === undefined ? { host: '0.0.0.0', port } : { path })

// Only a process that `start.ts` has started has a channel: when that one is gone, nobody else would end this one.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
