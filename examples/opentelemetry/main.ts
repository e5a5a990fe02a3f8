/** Starts the shop: `npm start`. */
import { app } from './app.js'

const { url } = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })

console.log(`The shop listens on ${url}`)
