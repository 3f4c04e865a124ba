/** True when `If-None-Match` names this ETag (given without quotes), so that the answer is 304. */
export function notModified(header: string | undefined, etag: string): boolean {
  if (!header || header.length > 4096) return false
  if (header.trim() === '*') return true
  return header.split(',').some(part => part.trim().replace(/^W\//, '') === `"${etag}"`)
}

/** The ETag of what was made of a revision and of more: behind the revision stands what tells which more. */
const madeOfMore = /^([0-9a-f]{40})-[0-9a-f]{16}$/

/**
 * The ETags (without quotes) that `If-Match` names, of those that begin with a revision that alone; '*' stands for any;
 * undefined when there is no header.
 */
export function matchList(header: string | undefined): readonly string[] | '*' | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return '*'
  return header.split(',').map(part => {
    const tag = part.trim().replace(/^W\//, '').replace(/^"|"$/g, '')
    return madeOfMore.exec(tag)?.[1] ?? tag
  })
}
