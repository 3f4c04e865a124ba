/** An answer of the reading site, before it is compressed. */
export type Made = {
  status: number
  type: string
  body: string
  headers: Readonly<Record<string, string>>
  /** Whether it lacks something that comes without a change of rows or branches: it is not kept. */
  isUnsettled?: boolean
  /** Whether readers with other claims get the same answer. */
  isForAll?: boolean
  /** The origins beside its own that the page may connect to. */
  origins?: readonly string[]
}

const html = 'text/html; charset=utf-8'

/** Returns a page of HTML as an answer. */
export const madeHtml = (body: string, headers: Made['headers'] = {}, status = 200): Made => ({
  status,
  type: html,
  body,
  headers,
})

/** Returns a text as an answer. */
export const madeText = (body: string, type: string, headers: Made['headers'] = {}): Made => ({
  status: 200,
  type: `${type}; charset=utf-8`,
  body,
  headers,
})
