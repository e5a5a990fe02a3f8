/** Starts the app: `npm start`. */
import { createMountedApp } from './app.js'

const app = createMountedApp()
const { url } = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
console.log(`Listens on ${url}/graphql`)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void app.close())
