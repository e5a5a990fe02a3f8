/** Turns the fast path off: servers use Node's documented API if a function of Node's `http` is replaced. */
import { ServerResponse } from 'node:http'

const { writeHead } = ServerResponse.prototype

ServerResponse.prototype.writeHead = function (...given) {
  return writeHead.apply(this, given)
}
