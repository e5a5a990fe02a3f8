/** The documents of a new project. */

export const GITIGNORE = `node_modules/
dist/
*.log
.env
.yarn/install-state.gz
`

/** Git for Windows writes CRLF by default, which the files of proofs cannot have. */
export const GITATTRIBUTES = '* text=auto eol=lf\n'

const LAYOUT = `## Layout

\`\`\`text
src/app.ts                   schemas, routes and services; importing it starts nothing
src/server.ts                reads the port from the environment, and listens
test/app.test.ts             fails if the app has findings
test/authorization.test.ts   calls each endpoint as each actor, and compares the decisions with authorization.txt
test/tasks.test.ts           calls the tasks without a port
surface.txt                  endpoints with their guards and fields; npm run check compares it
AGENTS.md                    rules for coding agents
\`\`\`
`

/** Documents of the installed version. */
const DOCS = 'node_modules/verbena/docs'

export function readme(name: string, hasBuild: boolean): string {
  const build = `| \`npm run build\` | Compiles \`src\` to \`dist\`                                                       |\n`
  return `# ${name}

An HTTP API with [Verbena](https://github.com/verbena-framework/verbena#readme).

\`\`\`sh
npm install
npm run dev
\`\`\`

| command         | does                                                                           |
| --------------- | ------------------------------------------------------------------------------ |
| \`npm run dev\`   | Starts the app at <http://127.0.0.1:3000> and restarts it when you save a file |
| \`npm test\`      | Runs the tests                                                                 |
| \`npm run check\` | Checks types and \`surface.txt\`, and finds endpoints that are open or wrong     |
${hasBuild ? build : ''}| \`npm start\`     | Starts the app in production. Set \`PORT\` for another port than 3000            |

\`\`\`sh
curl -i http://127.0.0.1:3000/tasks --json '{ "title": "Buy tea" }'
\`\`\`

The OpenAPI document is at <http://127.0.0.1:3000/openapi.json>. While you develop, the console at <http://127.0.0.1:3000/__dev__> shows each
request.

${LAYOUT}
After you change endpoints, guards or fields, write \`authorization.txt\` with \`UPDATE=1 npm test\`, and \`surface.txt\` with
\`npx verbena surface src/app.ts --write surface.txt\`. Reviewers read both files in the pull request. To add actors with credentials, see
[Prove who may call what](${DOCS}/how-to/prove-who-may-call.md).

## Next steps

Each of these tasks has a page with the complete code, in [node_modules/verbena/docs/how-to](${DOCS}/how-to):

- [Use PostgreSQL](${DOCS}/how-to/use-postgres.md) or [SQLite](${DOCS}/how-to/use-sqlite.md) instead of the map of tasks
- [Validate the environment](${DOCS}/how-to/validate-environment.md)
- [Log in with cookies](${DOCS}/how-to/log-in-with-cookies.md), and [protect routes by role](${DOCS}/how-to/protect-routes-by-role.md)
- [Upload a file](${DOCS}/how-to/upload-file.md)
- [Return errors in your own format](${DOCS}/how-to/return-own-error-format.md)
- [Write tests](${DOCS}/how-to/write-tests.md)
- [Lay out a large app](${DOCS}/how-to/lay-out-large-app.md)
- [Deploy behind nginx](${DOCS}/how-to/deploy-behind-nginx.md), or [run in a container](${DOCS}/how-to/run-in-container.md)
- Accept requests from other machines: \`app.listen({ host: '0.0.0.0', port: PORT })\` in \`src/server.ts\`

The guides explain [routes](${DOCS}/guides/routes.md), [contracts](${DOCS}/guides/contracts.md) and [errors](${DOCS}/guides/errors.md).
`
}

/** The text for agents. `agents()` replaces the words in braces, and adds the block of `verbena agents`, which this text does not repeat. */
const AGENTS = `# Rules for coding agents

This is an HTTP API with Verbena. Run \`npm run check\` and \`npm test\` after each change.

\`npm test\` compares the app with \`authorization.txt\`, and \`npm run check\` with \`surface.txt\`. If a change of endpoints, guards or fields
is intended, write both with \`UPDATE=1 npm test\` and \`npx verbena surface src/app.ts --write surface.txt\`, and report the changed lines.

\`\`\`ts
class TaskById extends Route<Services> {
  static readonly path = '/tasks/{id}'
  static readonly get = this.contract({ returns: Task, errors: [404] })
  async get({ params }: Input<typeof TaskById.get>): Result<typeof TaskById.get> {
    const task = this.tasks.get(params.id)
    if (task === undefined) throw new HttpError(404, 'This task does not exist')
    return task
  }
}
\`\`\`

- A class without \`path\` has the path of its name: \`Tasks\` is \`/tasks\`.
- Verbena creates an instance of the class for each request.
- Only \`src/server.ts\` listens, and reads \`PORT\`. \`npm test\` imports \`src/app.ts\` without variables.
- Imports end in {imports}
- Test with {test}: its \`api\` is typed, and a status that the contract does not list fails the test.

{block}
`

/** @param block lines of `verbena agents` */
export function agents(hasBuild: boolean, block: string): string {
  const [imports, test] = hasBuild
    ? ['`.js`. Do not set `experimentalDecorators`.', '`await using test = await testApp(app)`']
    : [
        '`.ts`. Node.js only removes types: no decorators with `@`, no enums, no parameter properties.',
        '`const test = await testApp(app)` and `t.after(() => test.close())`',
      ]
  return AGENTS.replace('{imports}', imports)
    .replace('{test}', test)
    .replace('{block}', () => block)
}
