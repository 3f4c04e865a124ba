import type { z } from 'zod'
import { checkInviter } from '../../access/guards/invite.ts'
import type { OrganizationGrant } from '../../access/guards/organization.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { randomId } from '../../lib/digest.ts'
import { inviteIdOf } from '../../store/invite-id.ts'
import { insertLinkInvite } from '../../store/people/link-invites.ts'
import type { LinkInviteRow, OrganizationRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { endOf } from './invite-end.ts'
import type { LinkInviteBody } from './link-invite-body.ts'
import { recordInvite } from './record-invite.ts'

/**
 * Creates an invite link, in the name of a member who administers the organization, or the space or
 * collection to which it leads. The secret is returned once and never stored. Throws 'forbidden' for
 * other members, and while links are turned off. Call inside a transaction.
 */
export function createLinkInvite(
  ctx: Context,
  granted: OrganizationGrant,
  body: z.output<typeof LinkInviteBody>,
  by: EventActor,
): { row: LinkInviteRow; secret: string } {
  const place = { spaceId: body.space ?? null, collectionId: body.collection ?? null }
  checkInviter(ctx, granted, place)
  checkLinks(granted.organization)
  const time = ctx.now()
  const secret = randomId()
  const row = insertLinkInvite(ctx.store, {
    id: inviteIdOf(secret),
    organization_id: granted.organization.id,
    role: body.role ?? null,
    level: body.level ?? null,
    space_id: place.spaceId,
    collection_id: place.collectionId,
    created_by: granted.user.id,
    created_at: time.toISOString(),
    expires_at: endOf(body.expiresAt, time),
    max_uses: body.maxUses ?? null,
  })
  recordInvite(ctx, row, 'invite.created', by)

  return { row, secret }
}

function checkLinks({ invite_links }: OrganizationRow): void {
  if (invite_links === 0)
    throw new Fault(
      'feature_off',
      'Invite links are turned off in this organization. An admin can turn them on with PATCH and "inviteLinks": true.',
    )
}

/** Returns the address of the page of an invite link. `base` is the public URL. */
export const joinUrl = (base: string, secret: string): string => `${base}/join/${secret}`
