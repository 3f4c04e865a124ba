import type { z } from 'zod'
import { checkSpecs } from '../../../access/guards/openapi.ts'
import { memberWithin } from '../../../access/reach.ts'
import { roleOnSpace } from '../../../access/space-role.ts'
import type { OpenContent } from '../../../actions/audience/open-content.ts'
import { seesSpecs } from '../../../actions/clearance/clear-content.ts'
import { recordedHeads } from '../../../actions/heads/recorded-heads.ts'
import type { LinkTo } from '../../../content/links/classify.ts'
import type { Context } from '../../../context.ts'
import { findSpecBySlug } from '../../../store/openapi/specs.ts'
import { findOrganization } from '../../../store/people/organizations.ts'
import { listOrganizationsOfOwnedTeams } from '../../../store/people/teams.ts'
import { findSpace } from '../../../store/spaces/spaces.ts'
import type { UserRow } from '../../../store/tables/rows.ts'
import { presentOrganization } from '../../base/organizations/present.ts'
import { presentSpec } from '../../sites/openapi/present.ts'
import { showSpace } from '../../spaces/load.ts'
import type { ContentLocation } from './schema.ts'

type Location = z.input<typeof ContentLocation>

/** Returns an organization as the user sees it. */
export function organizationFor(ctx: Context, user: UserRow, id: string) {
  const row = findOrganization(ctx.store, id)!
  const member = memberWithin(ctx, id, user.id)
  const ownsTeam = listOrganizationsOfOwnedTeams(ctx.store, user.id).has(id)
  return presentOrganization(row, { role: member?.role ?? null, ownsTeam }, ctx.publicUrl())
}

/** A target outside the revision: another space, or a spec of the organization. */
type External = Extract<LinkTo, { kind: 'space' | 'openapi' }>

/** Returns whether a link leads out of the revision to another resource of the service. */
export const isExternal = (to: LinkTo): to is External =>
  to.kind === 'space' || to.kind === 'openapi'

/**
 * Returns a function that presents targets outside the revision, each once. Of an unknown or
 * unreadable space it shows only the URL; of an unknown or hidden spec, nothing.
 */
export function externalTargets(
  open: OpenContent,
  user: UserRow,
): (to: External) => string | undefined {
  const seen = new Map<string, string | undefined>()
  return to => {
    const key = to.kind === 'space' ? `space ${to.space}` : `openapi ${to.slug}`
    if (!seen.has(key))
      seen.set(
        key,
        to.kind === 'space' ? spaceOf(open, user, to.space) : specOf(open, user, to.slug),
      )

    const shown = seen.get(key)
    if (shown !== undefined || to.kind === 'openapi') return shown

    return JSON.stringify({ kind: 'url', url: to.url } satisfies Location)
  }
}

function spaceOf({ ctx }: OpenContent, user: UserRow, id: string): string | undefined {
  const row = findSpace(ctx.store, id)
  const role = row && row.deleted_at === null ? roleOnSpace(ctx, row, user.id) : null
  if (!row || !role) return undefined

  const revision = recordedHeads(ctx, [id]).get(id) ?? ''

  return JSON.stringify({
    kind: 'space',
    organization: organizationFor(ctx, user, row.organization_id),
    space: showSpace(ctx, row, { userId: user.id, role }, revision),
  } satisfies Location)
}

function specOf({ ctx, space }: OpenContent, user: UserRow, slug: string): string | undefined {
  const id = space.organization_id
  const spec = seesSpecs(ctx, id, user.id) ? findSpecBySlug(ctx.store, id, slug) : undefined
  if (!spec) return undefined

  const { mayEdit } = checkSpecs(ctx, id, user, 'view')

  return JSON.stringify({
    kind: 'openapi',
    organization: organizationFor(ctx, user, id),
    openAPISpec: presentSpec(spec, mayEdit, ctx.publicUrl()),
  } satisfies Location)
}
