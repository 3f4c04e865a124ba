/**
 * Returns a URL that is safe to store and show to all readers: http or https, without user,
 * password, query and fragment, which may contain credentials. Undefined for anything else, such as
 * `javascript:`.
 */
export function webAddress(text: string | null | undefined): string | undefined {
  if (!text || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return `${url.protocol}//${url.host}${url.pathname}`
}
