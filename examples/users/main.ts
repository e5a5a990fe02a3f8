/** Serves the users API: `npm start`. */
import { usersApp } from './app.js'
import { openDatabase } from './store.js'

const app = usersApp(await openDatabase())
const { url } = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })

console.log(`The users API listens on ${url}`)
for (const { method, path } of app.routes()) console.log(`  ${method.padEnd(6)} ${url}${path}`)
