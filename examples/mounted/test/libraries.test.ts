/** The tests of all libraries, in one process, because loading the app takes two seconds. */
import './apollo.js'
import './auth-js.js'
import './better-auth.js'
import './mcp.js'
import './orpc.js'
import './proxy.js'
import './trpc.js'
import './yoga.js'
