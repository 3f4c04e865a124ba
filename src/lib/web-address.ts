/**
 * Returns an address as it may be stored and shown to all readers: http or https, without user, password, query and
 * fragment, in which credentials may stand. Undefined for anything else, such as `javascript:`.
 */
export function webAddress(text: string | null | undefined): string | undefined {
  if (!text || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return `${url.protocol}//${url.host}${url.pathname}`
}
