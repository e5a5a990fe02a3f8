/** Starts the app beside the Express app: `npm start`. */
import { createNewApp } from './app.js'
import { createLegacy } from './legacy.js'

const port = Number(process.env['PORT'] ?? 3000)
const { url } = await createNewApp().listen({ port, otherwise: createLegacy() })
console.log(`New routes: ${url}/new/teas, old routes: ${url}/old`)
