/** Makes servers take the documented path: a replaced function of Node is what the fast path steps aside for. */
import { ServerResponse } from 'node:http'

const { writeHead } = ServerResponse.prototype

ServerResponse.prototype.writeHead = function (...given) {
  return writeHead.apply(this, given)
}
