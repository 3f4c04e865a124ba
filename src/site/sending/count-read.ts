import type { IncomingMessage } from 'node:http'
import { isProgram } from '../../content/site/agents.ts'
import type { Context } from '../../context.ts'
import { addressGroup, clientAddress } from '../../http/limits/client-address.ts'
import type { ReadyAnswer } from '../../http/sending/ready-answer.ts'
import type { SiteEvent } from '../../store/sites/site-events.ts'
import type { SitePlace } from '../place/place.ts'
import type { CountedRead } from './made.ts'

/** What is counted of answers that are computed or kept. */
const counted = new WeakMap<ReadyAnswer, { event: SiteEvent; isTyped: boolean }>()

/** Has an answer counted whenever it is sent, unless it is a preview, a copy or another version. */
export function countable(place: SitePlace, answer: ReadyAnswer, read: CountedRead): void {
  const { resolved, scope, isCopy } = place
  if (resolved.preview || scope || isCopy) return
  const isSearch = read.kind === 'search_type_query'
  const event: SiteEvent = {
    siteId: resolved.site.id,
    kind: read.kind,
    siteSpaceId: resolved.siteSpace.row.id,
    pageId: isSearch ? '' : read.pageId,
    words: isSearch ? read.words : '',
    isNothing: isSearch && !read.isFound,
  }
  counted.set(answer, { event, isTyped: isSearch && read.isTyped })
}

/**
 * Counts an answer that a reader gets. Programs that say so are not counted, nor what a browser fetches in
 * advance. The address is used only to tell the words that one types from those of others, and is not
 * stored.
 */
export function countRead(ctx: Context, req: IncomingMessage, answer: ReadyAnswer): void {
  const read = counted.get(answer)
  const { headers, method } = req
  if (!read || method !== 'GET' || isProgram(headers['user-agent'])) return
  if (headers['sec-purpose'] !== undefined) return
  if (read.isTyped) {
    const client = addressGroup(clientAddress(req, ctx.config.trustProxy))
    ctx.siteEvents.noteTyped(client, read.event)
  } else ctx.siteEvents.note(read.event)
}
