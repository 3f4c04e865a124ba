import type { EventAction } from '../../../actions/events/audit-event.ts'
import { recordOnSpace } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import { note } from '../../../store/note.ts'
import { findSpace } from '../../../store/spaces/spaces.ts'

const hour = 3_600_000
/**
 * The maximum number of pairs of reader and space that are remembered for an hour; further pairs
 * may be recorded more than once.
 */
const mostKnown = 100_000

/** A request that was answered with content. */
type Reading = {
  path: string
  status: number
  requestId: string
  address: string
  userId?: string | undefined
  tokenId?: string | undefined
}

const content =
  /^\/v1\/spaces\/(\w{1,64})\/(?:(?:change-requests\/\w+\/)?(?:content|search|links|changes|comments)(?:\/|$)|revisions\/)/
const download = /^\/(?:files|pdf)\/(\w{1,64})\//

/**
 * Returns a function that records in the audit log which reader read which space, at most once an
 * hour for each pair. A reader is a user, or an address where the user is unknown, as with a signed
 * URL. It runs after the response. Without `STEMMA_AUDIT_READS` it does nothing.
 */
export function readRecorder(ctx: Context): (reading: Reading) => void {
  if (!ctx.config.auditReads) return () => {}
  let known = new Set<string>()
  let since = 0

  return reading => {
    const found =
      reading.status < 400 ? (content.exec(reading.path) ?? download.exec(reading.path)) : null
    const spaceId = found?.[1]
    if (spaceId === undefined) return

    const action = reading.path.startsWith('/v1/') ? 'space.read' : 'space.downloaded'
    const now = Date.now()

    if (now - since >= hour || known.size >= mostKnown) {
      known = new Set()
      since = now
    }

    const key = `${action} ${spaceId} ${reading.userId ?? reading.address}`
    if (known.has(key)) return
    known.add(key)
    setImmediate(write, ctx, spaceId, action, reading)
  }
}

function write(
  ctx: Context,
  spaceId: string,
  action: EventAction,
  { userId, tokenId, address, requestId }: Reading,
): void {
  const origin = { requestId, address, tokenId: tokenId ?? null }

  // It runs after the answer, where an error would end the process.
  note(() => {
    const space = findSpace(ctx.store, spaceId)
    if (!space) return
    ctx.store.transact(() => recordOnSpace(ctx, space, action, { userId: userId ?? null, origin }))
  })
}
