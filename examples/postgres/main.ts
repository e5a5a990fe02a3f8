/** Starts the bank: `DATABASE_URL=postgres://… npm start`. */
import { bankApp } from './app.js'

const connectionString = process.env['DATABASE_URL'] ?? 'postgres://localhost/bank'
const app = bankApp({ connectionString, report: (error) => console.error(`A connection was lost: ${error.message}`) })
const { url } = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })

console.log(`The bank listens on ${url}`)
