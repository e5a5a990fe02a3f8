/** Starts the receiver: `npm run start:receiver`. */
import { environment } from 'verbena'
import { receiverApp, ReceiverConfig } from './receiver.js'

const config = environment(ReceiverConfig)
const { url } = await receiverApp(config).listen({ port: config.PORT })

console.log(`Receiver: ${url}`)
