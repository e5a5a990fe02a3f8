/** A server of the Model Context Protocol, with a session for each client. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { provide, service } from 'verbena'
import { mount } from 'verbena/mount'
import * as z from 'zod'
import { user } from './user.js'

type Sessions = Map<string, Transport>

/** The sessions by their ids. They end with the app. */
export const sessions = service((): Sessions => new Map(), {
  close: async (sessions) => {
    for (const transport of sessions.values()) await transport.close()
  },
})

function createServer(): McpServer {
  const server = new McpServer({ name: 'tea', version: '1.0.0' })
  server.registerTool('brew', { inputSchema: { tea: z.string() } }, ({ tea }, { authInfo }) => {
    if (tea === 'coffee') throw new Error('No coffee')
    return { content: [{ type: 'text', text: `${tea} for ${authInfo?.clientId}` }] }
  })
  return server
}

async function openSession(sessions: Sessions): Promise<Transport> {
  const transport = new Transport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  })
  await createServer().connect(transport)
  return transport
}

const open = provide({}, (_input, { sessions }: { sessions: Sessions }) => sessions)

export const mcpRoutes = mount(
  async (request, { user, open }) => {
    const id = request.headers.get('mcp-session-id')
    // The transport of an unknown session responds with the error of the protocol.
    const transport = open.get(id ?? '') ?? (await openSession(open))
    return await transport.handleRequest(request, { authInfo: { token: '', clientId: user.name, scopes: [] } })
  },
  { uses: { user, open } },
)
