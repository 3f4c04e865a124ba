import { ReadyAnswer } from '../../http/sending/ready-answer.ts'
import { sha256 } from '../../lib/digest.ts'

/** What is counted of an answer: a page that was read, or the words of a search. */
export type CountedRead =
  | { kind: 'page_view'; pageId: string }
  | { kind: 'search_type_query'; words: string; isFound: boolean; isTyped: boolean }

/** An answer of the reading site. */
export type SiteResponse = {
  status: number
  type: string
  body: string
  headers: Readonly<Record<string, string>>
  /** Whether it lacks something that comes without a change of rows or branches: it is not kept. */
  isUnsettled?: boolean
  /** Whether readers with other claims get the same answer. */
  isForAll?: boolean
  /** What is counted when a reader gets the answer. */
  read?: CountedRead
  /** The origins beside its own that the page may connect to. */
  origins?: readonly string[]
}

const html = 'text/html; charset=utf-8'

/** Returns a page of HTML as an answer. */
export const madeHtml = (
  body: string,
  headers: SiteResponse['headers'] = {},
  status = 200,
): SiteResponse => ({
  status,
  type: html,
  body,
  headers,
})

/** Returns a text as an answer. */
export const madeText = (
  body: string,
  type: string,
  headers: SiteResponse['headers'] = {},
): SiteResponse => ({
  status: 200,
  type: `${type}; charset=utf-8`,
  body,
  headers,
})

/** Shorter bodies are sent as they are. */
const shortest = 600

/** Returns an answer in a form that can be sent any number of times. */
export function readyOf({ status, type, body, headers }: SiteResponse): ReadyAnswer {
  const bytes = Buffer.from(body)
  const isEncoded = bytes.length >= shortest
  return new ReadyAnswer({
    status,
    etag: sha256(body).slice(0, 22),
    type,
    bytes,
    headers,
    isEncoded,
  })
}
