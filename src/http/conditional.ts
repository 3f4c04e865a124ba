import { sha256 } from '../lib/digest.ts'

/** Returns the ETag (without quotes) of an answer: a hash of it. */
export const etagOf = (body: string | Buffer): string => sha256(body).slice(0, 40)

/**
 * Returns whether `If-None-Match` names this ETag (given without quotes), so that the answer is
 * 304.
 */
export function notModified(header: string | undefined, etag: string): boolean {
  if (!header || header.length > 4096) return false
  if (header.trim() === '*') return true
  return header.split(',').some(part => part.trim().replace(/^W\//, '') === `"${etag}"`)
}

/**
 * An ETag of an answer that depends on more than its revision: the revision, then a hash of the
 * rest.
 */
const madeOfMore = /^([0-9a-f]{40})-[0-9a-f]{16}$/

/**
 * Returns the ETags (without quotes) that `If-Match` names, reduced to the revision where they
 * begin with one; '*' for any; undefined without the header.
 */
export function matchList(header: string | undefined): readonly string[] | '*' | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return '*'
  return header.split(',').map(part => {
    const tag = part.trim().replace(/^W\//, '').replace(/^"|"$/g, '')
    return madeOfMore.exec(tag)?.[1] ?? tag
  })
}
