/** A type of browsers that the types of `@modelcontextprotocol/sdk` use, and that Node.js 20 does not have. */
type HeadersInit = ConstructorParameters<typeof Headers>[0]
