/** Starts the app: `npm start`. */
import { paymentApp } from './app.js'

let count = 0
const app = paymentApp(process.env['STATE'] ?? 'state.db', () => ++count)
const { url } = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })

console.log(`Payments at ${url}/payments`)
