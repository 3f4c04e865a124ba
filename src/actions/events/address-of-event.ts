import type { Context } from '../../context.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { findComments } from '../../store/discussions/comments.ts'
import { addressesInApp, addressesOfChangeRequest, addressOfComment } from '../app-addresses.ts'

/** Returns the body of a delivery with where a browser opens what the event is about. */
export function withAddress(ctx: Context, payload: string): string {
  const said = JSON.parse(payload) as Said
  const app = addressOfEvent(ctx, said)
  return app === undefined ? payload : JSON.stringify({ ...said, urls: { app } })
}

/** What the body of a delivery says about what the event is about. */
type Said = {
  target?: { type: string; id: string }
  spaceId?: string
  changeRequest?: string
}

/**
 * Returns where a browser opens what an event is about: a space, a change request or a comment.
 * Undefined for what has no page in the workbench, and for what was deleted since.
 */
function addressOfEvent({ store, publicUrl }: Context, said: Said): string | undefined {
  const { target, spaceId } = said
  if (target === undefined || spaceId === undefined) return undefined
  const base = publicUrl()
  const request = (id: string | undefined) =>
    id === undefined ? undefined : findChangeRequest(store, spaceId, id)
  const addressOf = (id: string | undefined): string | undefined => {
    const found = request(id)
    return found && addressesOfChangeRequest(base, found).content
  }

  switch (target.type) {
    case 'change-request':
      return addressOf(target.id)
    case 'review':
      return addressOf(said.changeRequest)
    case 'comment': {
      const row = findComments(store, [target.id]).get(target.id)
      return row && addressOfComment(base, row, request(row.change_request_id ?? undefined))
    }
    default:
      return addressesInApp(base, spaceId).content
  }
}
