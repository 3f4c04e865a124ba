import type { Request, RequestHandler, Response } from 'express'
import type { Config } from '../config.ts'
import { headerTexts } from './document/texts.ts'

/** How long a browser keeps the answer to a preflight, in seconds. */
const keptSeconds = 600

/** The headers of requests that programs in browsers may send. */
const sent = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match'

/** The headers of answers that programs in browsers may read. */
const exposed = ['Allow', ...Object.keys(headerTexts)].join(', ')

/**
 * Returns whether the API may be called from the pages of an origin. It takes no cookies, so that a
 * page can only use a token that it has.
 */
export const isAllowedOrigin = (
  { corsOrigins }: Pick<Config, 'corsOrigins'>,
  origin: string | undefined,
): boolean =>
  origin !== undefined && (corsOrigins.includes('*') || corsOrigins.includes(origin.toLowerCase()))

/** Returns the handler that lets pages of the configured origins read answers of the API. */
export const allowOrigins =
  (config: Pick<Config, 'corsOrigins'>): RequestHandler =>
  (req, res, next) => {
    const { origin } = req.headers
    if (isAllowedOrigin(config, origin)) allow(res, origin as string)
    next()
  }

function allow(res: Response, origin: string): void {
  res.vary('Origin')
  res.set({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposed,
  })
}

/** Adds what a preflight asks for, if its origin is allowed. */
export function answerPreflight(req: Request, res: Response, methods: readonly string[]): void {
  if (!res.hasHeader('Access-Control-Allow-Origin')) return
  if (req.headers['access-control-request-method'] === undefined) return
  res.set({
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': sent,
    'Access-Control-Max-Age': String(keptSeconds),
  })
}
