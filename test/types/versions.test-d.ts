import { createApp, Route, type CommonOptions, type VersionReader } from 'verbena'
import { version } from 'verbena/decorators'

class Home extends Route {
  static readonly post = this.contract({ decorators: [version('1.x')] })
  @version('>=1.2.0')
  async get() {}
  async post() {}

  // @ts-expect-error - a constraint is needed
  @version
  async put() {}
  // @ts-expect-error - a constraint is a text
  @version(1)
  async patch() {}
  // @ts-expect-error - on a method that is no endpoint
  @version('1.x')
  help() {}
}
class Everywhere extends Home {
  static readonly decorators = [version('1.x')]
}
class Bare extends Route {
  // @ts-expect-error - a constraint is needed in a contract too
  static readonly get = this.contract({ decorators: [version] })
  async get() {}
}
export const classes = [Everywhere, Bare]

const reader: VersionReader = ({ url, headers }) => headers['x-version'] ?? url
const accepted: readonly NonNullable<CommonOptions['versioning']>[] = [
  {},
  { from: 'x-version' },
  { from: { mediaType: 'version' } },
  { from: reader },
  { from: () => undefined, default: '1.0.0' },
]
for (const versioning of accepted) createApp({ routes: { Home }, versioning })

// @ts-expect-error - a function that waits
createApp({ routes: { Home }, versioning: { from: async () => '1' } })
// @ts-expect-error - a function that gives something else
createApp({ routes: { Home }, versioning: { from: () => 1 } })
// @ts-expect-error - an option that does not exist
createApp({ routes: { Home }, versioning: { header: 'x-version' } })
// @ts-expect-error - a default is a text
createApp({ routes: { Home }, versioning: { default: 1 } })
// @ts-expect-error - neither a name, nor a parameter, nor a function
createApp({ routes: { Home }, versioning: { from: { header: 'x-version' } } })

createApp({ routes: { Home } })
  .routes()
  .map((described): string | undefined => described.version)
