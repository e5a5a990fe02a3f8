/** Runs the shop in a separate process: `node --import=tsx console/test/support/shop-child.ts <port>`. Prints its port. */
import { makeShop } from './shop.js'

const { app } = makeShop({ signals: true })
const { port } = await app.listen({ port: Number(process.argv[2] ?? 0) })
console.log(`listens at ${port}`)
