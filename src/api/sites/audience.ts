import type { z } from 'zod'
import { invalid } from '../../errors.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import type { SitePatch } from './schema.ts'

type AudienceBody = Pick<z.output<typeof SitePatch>, 'visibility' | 'membersOnly'>
type Audience = Pick<SiteRow, 'visibility' | 'members_only'>

/**
 * Returns the columns of the audience that a body sets on a site. Throws 'invalid' for a site that
 * would be for members and others.
 */
export function audienceOf(
  { visibility, membersOnly }: AudienceBody,
  row?: Audience,
): Partial<Audience> {
  if (membersOnly && visibility !== undefined && visibility !== 'visitor-auth')
    throw invalid(
      `A site with "membersOnly" has the visibility "visitor-auth", not "${visibility}". Leave "visibility" out.`,
    )
  if (membersOnly) return { visibility: 'visitor-auth', members_only: 1 }
  const isLeft =
    membersOnly === false || (visibility !== undefined && visibility !== row?.visibility)
  return { ...(visibility !== undefined && { visibility }), ...(isLeft && { members_only: 0 }) }
}
