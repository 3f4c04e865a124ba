import type { z } from 'zod'
import { checkSpecs } from '../../access/guards/openapi.ts'
import { roleOnSpace } from '../../access/guards/space.ts'
import { memberWithin } from '../../access/reach.ts'
import { seesSpecs } from '../../actions/clearance/clear-content.ts'
import type { LinkTo } from '../../content/links/classify.ts'
import type { Context } from '../../context.ts'
import { findSpecBySlug } from '../../store/openapi/specs.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { listOrganizationsOfOwnedTeams } from '../../store/people/teams.ts'
import { findLatestRevisions, findSpace } from '../../store/spaces/spaces.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import type { OpenContent } from '../content/open-content.ts'
import { presentSpec } from '../openapi/present.ts'
import { presentOrganization } from '../organizations/present.ts'
import { showSpace } from '../spaces/load.ts'
import type { ContentLocation } from './schema.ts'

type Location = z.input<typeof ContentLocation>

/** An organization as somebody sees it. */
export function organizationFor(ctx: Context, user: UserRow, id: string) {
  const row = findOrganization(ctx.store, id)!
  const member = memberWithin(ctx, id, user.id)
  const ownsTeam = listOrganizationsOfOwnedTeams(ctx.store, user.id).has(id)
  return presentOrganization(row, { role: member?.role ?? null, ownsTeam }, ctx.publicUrl())
}

/** What lies outside a revision: another space, or a description of the organization. */
type Outside = Extract<LinkTo, { kind: 'space' | 'openapi' }>

/** Whether a link leads out of the revision to what the service has. */
export const isOutside = (to: LinkTo): to is Outside => to.kind === 'space' || to.kind === 'openapi'

/**
 * Presents what lies outside, each once: of a space that somebody may not read, or that is not here, the address alone;
 * nothing of a description that they may not see, or that is not there.
 */
export function outsideFor(open: OpenContent, user: UserRow): (to: Outside) => string | undefined {
  const seen = new Map<string, string | undefined>()
  return to => {
    const key = to.kind === 'space' ? `space ${to.space}` : `openapi ${to.slug}`
    if (!seen.has(key))
      seen.set(key, to.kind === 'space' ? spaceOf(open, user, to.space) : specOf(open, user, to.slug))
    const shown = seen.get(key)
    if (shown !== undefined || to.kind === 'openapi') return shown
    return JSON.stringify({ kind: 'url', url: to.url } satisfies Location)
  }
}

function spaceOf({ ctx }: OpenContent, user: UserRow, id: string): string | undefined {
  const row = findSpace(ctx.store, id)
  const role = row && row.deleted_at === null ? roleOnSpace(ctx, row, user.id) : null
  if (!row || !role) return undefined
  const revision = findLatestRevisions(ctx.store, [id]).get(id) ?? ''
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
