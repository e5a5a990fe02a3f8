/** Starts the users API, with endpoints that have faults on purpose: `npm start`. */
import { openShop } from './shop.js'
import { openDatabase } from './store.js'
import { troubledApp } from './troubles.js'

const app = troubledApp(await openDatabase(), await openShop())
const { url } = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })

console.log(`The users API listens on ${url}`)
for (const { method, path } of app.routes()) console.log(`  ${method.padEnd(6)} ${url}${path}`)
