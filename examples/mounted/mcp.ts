/** A server of the Model Context Protocol, with a session for each client. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { HttpError, provide, service } from 'verbena'
import { mount } from 'verbena/mount'
import * as z from 'zod'
import { user } from './user.js'

/** Transports by the id of their session, with the user who opened it. */
type Sessions = Map<string, { readonly transport: Transport; readonly user: string }>

/** The sessions of all clients. They end with the app. */
export const sessions = service((): Sessions => new Map(), {
  close: async (sessions) => {
    for (const { transport } of sessions.values()) await transport.close()
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

async function openTransport(sessions: Sessions, id: string | null, user: string): Promise<Transport> {
  const session = sessions.get(id ?? '')
  if (session?.user === user) return session.transport
  if (id !== null) throw new HttpError(404, 'This session does not exist')
  const transport = new Transport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, { transport, user }),
    onsessionclosed: (id) => void sessions.delete(id),
  })
  await createServer().connect(transport)
  return transport
}

const open = provide({}, (_input, { sessions }: { sessions: Sessions }) => sessions)

export const mcpRoutes = mount(
  async (request, { user, open }) => {
    const transport = await openTransport(open, request.headers.get('mcp-session-id'), user.name)
    return await transport.handleRequest(request, { authInfo: { token: '', clientId: user.name, scopes: [] } })
  },
  { uses: { user, open } },
)
