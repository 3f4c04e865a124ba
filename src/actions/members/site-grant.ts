import type { SiteTarget } from '../../access/guards/target.ts'
import { atLeast } from '../../access/roles.ts'
import type { Context } from '../../context.ts'
import { noteRevocation } from '../../store/people/revocations.ts'
import {
  deleteSitePermission,
  findSitePermission,
  putSitePermission,
} from '../../store/sites/site-permissions.ts'
import { listTeamUserIds } from '../../store/spaces/things.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordSiteEvent } from '../sites/record-site-event.ts'

/**
 * Grants a user or team a role on a site, or with null removes the grant; call it inside a
 * transaction. It gives no role on the spaces of the site.
 */
export function changeOnSite(
  ctx: Context,
  { id: siteId, organizationId }: SiteTarget,
  subject: { kind: 'user' | 'team'; id: string },
  role: Role | null,
  by: EventActor,
): void {
  const before = findSitePermission(ctx.store, siteId, subject)?.role ?? null
  if (before === role) return
  const at = ctx.now().toISOString()

  if (role === null) deleteSitePermission(ctx.store, siteId, subject)
  else
    putSitePermission(ctx.store, {
      site_id: siteId,
      subject_kind: subject.kind,
      subject_id: subject.id,
      role,
      created_at: at,
    })

  if (before && !atLeast(role, before)) {
    const weakened = subject.kind === 'user' ? [subject.id] : listTeamUserIds(ctx.store, subject.id)
    noteRevocation(ctx.store, organizationId, weakened, at)
  }

  recordSiteEvent(
    ctx,
    { id: siteId, organization_id: organizationId },
    role === null ? 'site.permission_removed' : 'site.permission_given',
    by,
    { [subject.kind]: subject.id, ...(before && { before }), ...(role && { role }) },
  )
}
