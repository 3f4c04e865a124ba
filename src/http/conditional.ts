/** True when `If-None-Match` names this ETag (given without quotes), so that the answer is 304. */
export function notModified(header: string | undefined, etag: string): boolean {
  if (!header || header.length > 4096) return false
  if (header.trim() === '*') return true
  return header.split(',').some(part => part.trim().replace(/^W\//, '') === `"${etag}"`)
}

/** The ETags (without quotes) that `If-Match` names; '*' stands for any; undefined when there is no header. */
export function matchList(header: string | undefined): readonly string[] | '*' | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return '*'
  return header.split(',').map(part => part.trim().replace(/^W\//, '').replace(/^"|"$/g, ''))
}
