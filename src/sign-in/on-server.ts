import type { RequestHandler } from 'express'
import type { Context } from '../context.ts'
import { addressOf, isOnServer } from '../ui/serving/request-address.ts'

/** Passes requests of the hosts of sites on: there, the path is that of a page of the site. */
export const onServer =
  (ctx: Context): RequestHandler =>
  (req, _res, next) =>
    isOnServer(ctx, addressOf(ctx, req)) ? next() : next('route')
