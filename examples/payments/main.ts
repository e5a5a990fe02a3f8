/** Starts the payments app: `npm start`. */
import { environment } from 'verbena'
import { Config, paymentsApp } from './app.js'

const config = environment(Config)
const { url } = await paymentsApp(config).listen({ port: config.PORT })

console.log(`Payments: ${url}`)
