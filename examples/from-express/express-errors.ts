/** Errors of the Express app. */
import type { ErrorRequestHandler, RequestHandler } from 'express'
import multer from 'multer'

export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const notFound: RequestHandler = () => {
  throw new Refusal(404, 'Not found')
}

/** Error middleware: Express recognizes it by its four parameters. */
export const sendError: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error instanceof multer.MulterError ? 413 : Number(error.status ?? 500)
  response.status(status).json({ error: status === 500 ? 'Something went wrong' : error.message })
}
