/** Starts the server: `npm start`. */
import { once } from 'node:events'
import { createSharedServer } from './server.js'

const port = Number(process.env['PORT'] ?? 3000)
const { server } = createSharedServer()
await once(server.listen(port, '127.0.0.1'), 'listening')
console.log(`Listens on http://127.0.0.1:${port}/rooms`)
