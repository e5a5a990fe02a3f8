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

/** The text for agents. `agents()` replaces the words in braces. */
const AGENTS = `# Rules for coding agents

This is an HTTP API with Verbena, a TypeScript framework without dependencies. A class that extends \`Route\` is a path, and its methods
\`get\`, \`post\`, \`put\`, \`patch\` and \`delete\` are endpoints. A contract beside a method has its schemas: Verbena validates input and output
with them, and builds types and the OpenAPI document from them.

Run \`npm run check\` and \`npm test\` after each change. \`npx verbena routes src/app.ts\` lists the endpoints, and
\`npx verbena explain src/app.ts GET /tasks\` the steps of a request.

\`npm test\` compares the app with \`authorization.txt\`, and \`npm run check\` with \`surface.txt\`. If a change of endpoints, guards or fields
is intended, write both with \`UPDATE=1 npm test\` and \`npx verbena surface src/app.ts --write surface.txt\`, and report the changed lines.

## Rules

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

- A contract has the name of its method, and is \`static readonly\`. Add each class to \`routes\` of \`createApp\`.
- Write \`readonly path\`, or \`params\` has no types. A parameter is \`{id}\`, not \`:id\`. Without \`path\`, \`Tasks\` is \`/tasks\`.
- A method returns its result. There is no \`res.json()\` and no \`next()\`. Set the status of a success with \`status\` in the contract.
- Throw \`new HttpError(status, detail)\` for an error, and list the status in \`errors\`. Do not return errors.
- Do not validate in a method: input that does not match its schema is a 422 before the method runs.
- Query, headers, cookies and \`params\` are converted for their schema. Use a number in the schema, without coercion.
- A response contains only properties that \`returns\` describes. Dates are strings in JSON.
- Verbena creates an instance for each request. State that lives longer is a service in \`services\`, read from \`this\`.
- Guard endpoints with \`uses: { user: bearer(verify) }\`, not with middleware: a guard runs before the body is read.
- Settings are a service: \`config: service(() => environment(Config))\` in \`services\`. Do not call \`environment\` when a module is imported:
  tests and \`npm run check\` import \`src/app.ts\` without variables.
- Imports end in {imports} Only \`src/server.ts\` listens, and reads \`PORT\`.
- Test with {test}: its \`api\` is typed, and a status that the contract does not list fails the test.

## Documentation

It is in \`node_modules/verbena/docs\`. Before you write code, look for the page of the task in \`how-to\`: it has the complete code.

| file                                | for                                         |
| ----------------------------------- | ------------------------------------------- |
| \`how-to/upload-file.md\`             | files from a form                           |
| \`how-to/log-in-with-cookies.md\`     | sessions                                    |
| \`how-to/protect-routes-by-role.md\`  | roles                                       |
| \`how-to/prove-who-may-call.md\`      | actors in the test of authorization         |
| \`how-to/return-own-error-format.md\` | errors in another format                    |
| \`how-to/use-postgres.md\`            | a pool of connections, transactions         |
| \`how-to/validate-environment.md\`    | settings from environment variables         |
| \`how-to/write-tests.md\`             | tests without a port, replaced services     |
| \`how-to/deploy-behind-nginx.md\`     | production                                  |
| \`guides/routes.md\`                  | paths, parameters, groups                   |
| \`guides/contracts.md\`               | input, output, what is validated            |
| \`guides/errors.md\`                  | errors and problem details                  |
| \`guides/services.md\`                | databases and other values of the app       |
| \`options.md\`                        | options of \`createApp\`, with their defaults |
| \`errors.md\`                         | codes of setup errors                       |
`

export function agents(hasBuild: boolean): string {
  const [imports, test] = hasBuild
    ? ['`.js`. Do not set `experimentalDecorators`.', '`await using test = await testApp(app)`']
    : [
        '`.ts`. Node.js only removes types: no decorators with `@`, no enums, no parameter properties.',
        '`const test = await testApp(app)` and `t.after(() => test.close())`',
      ]
  return AGENTS.replace('{imports}', imports).replace('{test}', test)
}
