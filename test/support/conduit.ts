/** Conduit, the API of the RealWorld project: its contracts and guards, as an author writes them. Articles and comments are in memory. */
import { bearer, createApp, HttpError, optional, Route, service, type App, type Input } from 'verbena'
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

const USERS: ReadonlyMap<string, string> = new Map([
  ['a1b2', 'ada'],
  ['c3d4', 'eve'],
])
const user = bearer((token) => USERS.has(token) && { name: String(USERS.get(token)) }, { scheme: 'Token' })
const reader = optional(user)

function missing(): never {
  throw new HttpError(404, 'This object does not exist')
}

const NOW = '2026-01-02T03:04:05.000Z'

function createProfile(username: string): z.output<typeof Profile> {
  return { username, bio: null, image: null, following: false }
}

/** Articles with their comments, in memory. */
class Store {
  readonly articles = new Map<string, z.output<typeof Article>>()
  readonly comments = new Map<number, z.output<typeof Comment> & { readonly slug: string }>()

  findArticle(slug: string): z.output<typeof Article> {
    return this.articles.get(slug) ?? missing()
  }

  /** Throws 403 if another user is the author. All clients can read articles, so a 403 reveals no existence. */
  findOwn(slug: string, name: string): z.output<typeof Article> {
    const article = this.findArticle(slug)
    if (article.author.username !== name) throw new HttpError(403, 'Another user is the author')
    return article
  }
}

interface Services {
  readonly store: Store
}

/** Every change requires a user. */
abstract class UserRoute extends Route<Services> {
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

class ArticleList extends Route<Services> {
  static readonly path = '/articles'
  static readonly get = this.contract({ uses: { reader }, query: Filter, returns: Articles })
  async get(_: Input<typeof ArticleList.get>) {
    const articles = [...this.store.articles.values()]
    return { articles, articlesCount: articles.length }
  }

  static readonly post = this.contract({ uses: { user }, body: NewArticle, returns: OneArticle, status: 201 })
  async post({ body, user }: Input<typeof ArticleList.post>) {
    const slug = `${body.article.title.toLowerCase()}-${this.store.articles.size + 1}`
    const state = { createdAt: NOW, updatedAt: NOW, favorited: false, favoritesCount: 0 }
    const article = { ...body.article, ...state, slug, author: createProfile(user.name) }
    this.store.articles.set(slug, article)
    return { article }
  }
}

class Feed extends UserRoute {
  static readonly path = '/articles/feed'
  static readonly get = this.contract({ query: Page, returns: Articles })
  async get(_: Input<typeof Feed.get>) {
    return missing()
  }
}

class ArticleBySlug extends Route<Services> {
  static readonly path = '/articles/{slug}'
  static readonly get = this.contract({ returns: OneArticle, public: true, errors: [404] })
  async get({ params }: Input<typeof ArticleBySlug.get>) {
    return { article: this.store.findArticle(params.slug) }
  }

  static readonly put = this.contract({ uses: { user }, body: ArticleChange, returns: OneArticle, errors: [403, 404] })
  async put({ params, body, user }: Input<typeof ArticleBySlug.put>) {
    return { article: Object.assign(this.store.findOwn(params.slug, user.name), body.article) }
  }

  static readonly delete = this.contract({ uses: { user }, returns: null, errors: [403, 404] })
  async delete({ params, user }: Input<typeof ArticleBySlug.delete>) {
    this.store.articles.delete(this.store.findOwn(params.slug, user.name).slug)
  }
}

class Comments extends Route<Services> {
  static readonly path = '/articles/{slug}/comments'
  static readonly get = this.contract({ uses: { reader }, returns: z.object({ comments: z.array(Comment) }) })
  async get({ params }: Input<typeof Comments.get>) {
    const { slug } = this.store.findArticle(params.slug)
    return { comments: [...this.store.comments.values()].filter((comment) => comment.slug === slug) }
  }

  static readonly post = this.contract({
    uses: { user },
    body: z.object({ comment: z.object({ body: z.string() }) }),
    returns: z.object({ comment: Comment }),
    status: 201,
  })
  async post({ params, body, user }: Input<typeof Comments.post>) {
    const { slug } = this.store.findArticle(params.slug)
    const id = this.store.comments.size + 1
    const comment = { ...body.comment, id, slug, createdAt: NOW, author: createProfile(user.name) }
    this.store.comments.set(id, comment)
    return { comment }
  }
}

class CommentById extends UserRoute {
  static readonly path = '/articles/{slug}/comments/{id}'
  static readonly delete = this.contract({
    uses: { user },
    params: z.object({ slug: z.string(), id: z.number().int() }),
    returns: null,
  })
  async delete({ params, user }: Input<typeof CommentById.delete>) {
    const comment = this.store.comments.get(params.id)
    if (comment?.slug !== params.slug) return missing()
    if (comment.author.username !== user.name) throw new HttpError(403, 'Another user is the author')
    this.store.comments.delete(params.id)
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
  const services = { store: service(() => new Store()) }
  return createApp({ name: 'conduit', services, routes: { '/api': { ...access, ...articles } } })
}
