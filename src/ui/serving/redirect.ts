import type { Request, Response } from 'express'

/** Sends the browser to another address, which it asks for again each time. */
export function redirect(res: Response, to: string, status: number): void {
  if (!res.get('Cache-Control')?.includes('no-store')) res.set('Cache-Control', 'no-cache')
  res.redirect(status, to)
}

/**
 * Returns an address without its origin if it is that of the request: names of this machine stay as
 * they are.
 */
export function relativeTo(address: string, target: string): string {
  const [from, to] = [new URL(address), new URL(target)]
  return from.origin === to.origin ? to.pathname + to.search + to.hash : target
}

/** Returns the query of a request with its question mark; '' without one. */
export const searchOf = ({ originalUrl }: Request): string =>
  originalUrl.includes('?') ? originalUrl.slice(originalUrl.indexOf('?')) : ''

/** Returns a value of the query of a request, if it is there once. */
export function queryOf({ query }: Request, name: string): string | undefined {
  const value = query[name]
  return typeof value === 'string' ? value : undefined
}

/** Returns the path and query of an address without a value of the query. */
export function addressWithout(address: string, name: string): string {
  const url = new URL(address)
  url.searchParams.delete(name)
  return url.pathname + url.search
}
