/** Conduit, the API of the RealWorld project, without a database: its contracts and guards, as an author writes them. */
import { bearer, createApp, HttpError, optional, Route, type App, type Input } from 'verbena'
import * as z from 'zod'

const Profile = z.object({
  username: z.string(),
  bio: z.string().nullable(),
  image: z.url().nullable(),
  following: z.boolean(),
})
const User = z.object({
  email: z.email().meta({ personal: true }),
  token: z.string().meta({ secret: true }),
  username: z.string(),
  bio: z.string().nullable(),
  image: z.url().nullable(),
})
const Article = z.object({
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  body: z.string(),
  tagList: z.array(z.string()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  favorited: z.boolean(),
  favoritesCount: z.number().int(),
  author: Profile,
})
const Comment = z.object({ id: z.number().int(), createdAt: z.iso.datetime(), body: z.string(), author: Profile })
const Login = z.object({ user: z.object({ email: z.email(), password: z.string().meta({ secret: true }) }) })
const NewUser = z.object({ user: z.object({ username: z.string(), ...Login.shape.user.shape }) })
const UserChange = z.object({
  user: z.object({ ...NewUser.shape.user.shape, bio: z.string(), image: z.url() }).partial(),
})
const NewArticle = z.object({
  article: z.object({
    title: z.string(),
    description: z.string(),
    body: z.string(),
    tagList: z.array(z.string()).default([]),
  }),
})
const ArticleChange = z.object({ article: NewArticle.shape.article.omit({ tagList: true }).partial() })
const Page = z.object({ limit: z.number().int().default(20), offset: z.number().int().default(0) })
const Filter = Page.extend({ tag: z.string(), author: z.string(), favorited: z.string() }).partial()
const [OneUser, OneProfile, OneArticle] = [
  z.object({ user: User }),
  z.object({ profile: Profile }),
  z.object({ article: Article }),
]
const Articles = z.object({ articles: z.array(Article.omit({ body: true })), articlesCount: z.number().int() })

const user = bearer((token) => token === 'a1b2' && { name: 'ada' }, { scheme: 'Token' })
const reader = optional(user)

function missing(): never {
  throw new HttpError(404, 'This object does not exist')
}

/** Every change requires a user. */
abstract class UserRoute extends Route {
  static readonly uses = { user }
}

class Users extends Route {
  static readonly post = this.contract({ body: NewUser, returns: OneUser, status: 201, public: true })
  async post(_: Input<typeof Users.post>) {
    return missing()
  }
}

class SignIn extends Route {
  static readonly path = '/users/login'
  static readonly post = this.contract({ body: Login, returns: OneUser, public: true })
  async post(_: Input<typeof SignIn.post>) {
    return missing()
  }
}

class CurrentUser extends UserRoute {
  static readonly path = '/user'
  static readonly get = this.contract({ returns: OneUser })
  async get() {
    return missing()
  }

  static readonly put = this.contract({ body: UserChange, returns: OneUser })
  async put(_: Input<typeof CurrentUser.put>) {
    return missing()
  }
}

class ProfileByName extends Route {
  static readonly path = '/profiles/{username}'
  static readonly get = this.contract({ uses: { reader }, returns: OneProfile, errors: [404] })
  async get(_: Input<typeof ProfileByName.get>) {
    return missing()
  }
}

class Follow extends UserRoute {
  static readonly path = '/profiles/{username}/follow'
  static readonly post = this.contract({ returns: OneProfile, errors: [404] })
  async post() {
    return missing()
  }

  static readonly delete = this.contract({ returns: OneProfile, errors: [404] })
  async delete() {
    return missing()
  }
}

class ArticleList extends Route {
  static readonly path = '/articles'
  static readonly get = this.contract({ uses: { reader }, query: Filter, returns: Articles })
  async get(_: Input<typeof ArticleList.get>) {
    return missing()
  }

  static readonly post = this.contract({ uses: { user }, body: NewArticle, returns: OneArticle, status: 201 })
  async post(_: Input<typeof ArticleList.post>) {
    return missing()
  }
}

class Feed extends UserRoute {
  static readonly path = '/articles/feed'
  static readonly get = this.contract({ query: Page, returns: Articles })
  async get(_: Input<typeof Feed.get>) {
    return missing()
  }
}

class ArticleBySlug extends Route {
  static readonly path = '/articles/{slug}'
  static readonly get = this.contract({ returns: OneArticle, public: true, errors: [404] })
  async get() {
    return missing()
  }

  static readonly put = this.contract({ uses: { user }, body: ArticleChange, returns: OneArticle, errors: [403, 404] })
  async put(_: Input<typeof ArticleBySlug.put>) {
    return missing()
  }

  static readonly delete = this.contract({ uses: { user }, returns: null, errors: [403, 404] })
  async delete(_: Input<typeof ArticleBySlug.delete>) {
    return missing()
  }
}

class Comments extends Route {
  static readonly path = '/articles/{slug}/comments'
  static readonly get = this.contract({ uses: { reader }, returns: z.object({ comments: z.array(Comment) }) })
  async get(_: Input<typeof Comments.get>) {
    return missing()
  }

  static readonly post = this.contract({
    uses: { user },
    body: z.object({ comment: z.object({ body: z.string() }) }),
    returns: z.object({ comment: Comment }),
    status: 201,
  })
  async post(_: Input<typeof Comments.post>) {
    return missing()
  }
}

class CommentById extends UserRoute {
  static readonly path = '/articles/{slug}/comments/{id}'
  static readonly delete = this.contract({
    params: z.object({ slug: z.string(), id: z.number().int() }),
    returns: null,
  })
  async delete(_: Input<typeof CommentById.delete>) {
    return missing()
  }
}

class Favorite extends UserRoute {
  static readonly path = '/articles/{slug}/favorite'
  static readonly post = this.contract({ returns: OneArticle })
  async post() {
    return missing()
  }

  static readonly delete = this.contract({ returns: OneArticle })
  async delete() {
    return missing()
  }
}

class Tags extends Route {
  static readonly get = this.contract({ returns: z.object({ tags: z.array(z.string()) }), public: true })
  async get() {
    return missing()
  }
}

export function createConduit(): App {
  const access = { Users, SignIn, CurrentUser, ProfileByName, Follow }
  const articles = { ArticleList, Feed, ArticleBySlug, Comments, CommentById, Favorite, Tags }
  return createApp({ name: 'conduit', routes: { '/api': { ...access, ...articles } } })
}
