import { z } from 'zod'
import { type SiteGrant, site } from '../../access/guards/site.ts'
import { findSeenRedirect, hiddenFrom } from '../../actions/audience/hidden-redirects.ts'
import { lookingAsUser } from '../../actions/audience/looking.ts'
import {
  mostInBulk,
  prepareRedirects,
  publishDraft,
  putRedirects,
  removeRedirect,
} from '../../actions/audience/put-redirects.ts'
import { readRedirectLines } from '../../actions/audience/redirect-lines.ts'
import type { EventActor } from '../../actions/events/audit-event.ts'
import { placeCopy } from '../../actions/sites/structure/place-copy.ts'
import { checkPlaceable } from '../../actions/sites/structure/place-space.ts'
import { siteSpaceOf, startEdit } from '../../actions/sites/structure/structure-edit.ts'
import { viewForUser } from '../../actions/sites/view-for-user.ts'
import { applySiteTemplate } from '../../actions/spaces/apply-site-template.ts'
import { duplicateForSite } from '../../actions/spaces/duplicate-for-site.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { form } from '../frame/page.ts'
import { fieldProblem } from '../frame/problems.ts'
import { shownOn } from './paths.ts'

export const saveRedirects = form({
  path: '/sites/:organizationId/:siteId/redirects',
  scope: 'sites:write',
  access: site('create'),
  body: z.object({
    lines: z.string().trim().min(1, 'must not be empty'),
    permanent: z.string().optional(),
  }),
  shownOn,
  act: async asked => {
    const { ctx, body, by, params, request } = asked
    const looking = lookingAsUser(ctx, asked, request)
    const { changes, problems } = await readRedirectLines(ctx, looking, body.lines)
    if (problems.length > 0) throw unsaved(problems)
    if (changes.length > mostInBulk)
      throw fieldProblem('lines', `takes at most ${mostInBulk} lines at once`)
    const permanent = body.permanent === 'on'
    const prepared = await prepareRedirects(
      ctx,
      looking,
      changes.map(change => ({ ...change, permanent })),
    )

    return inTransaction(granted => {
      const results = putRedirects(editing(ctx, granted, by), prepared)
      const refused = results.flatMap(({ source, error }) =>
        error === undefined ? [] : `${source}: ${error}`,
      )
      if (refused.length > 0) throw unsaved(refused)
      const to = `${shownOn(params)}#redirects`
      return {
        to,
        notice:
          results.length === 1
            ? 'The redirect was saved.'
            : `${results.length} redirects were saved.`,
      }
    })
  },
})

/** The most problems that one answer names. */
const mostProblems = 10

/** Returns the fault for lines of which none is saved. */
function unsaved(problems: readonly string[]) {
  const named = problems.slice(0, mostProblems).join(' ')
  const more = problems.length - mostProblems
  return fieldProblem(
    'lines',
    `Nothing was saved. ${named}${more > 0 ? ` There are ${more} more problems.` : ''}`,
  )
}

const ofRedirect = '/sites/:organizationId/:siteId/redirects/:siteRedirectId'

export const deleteRedirect = form({
  path: `${ofRedirect}/delete`,
  scope: 'sites:write',
  access: site('create'),
  body: z.object({}),
  shownOn,
  act: ({ ctx, by, params }) =>
    inTransaction(granted => {
      const row = findSeenRedirect(ctx, granted, params.siteRedirectId)
      if (row) removeRedirect(editing(ctx, granted, by), row)
      return { to: `${shownOn(params)}#redirects`, notice: 'The redirect was deleted.' }
    }),
})

export const publishRedirect = form({
  path: `${ofRedirect}/publish`,
  scope: 'sites:write',
  access: site('create'),
  body: z.object({}),
  shownOn,
  act: ({ ctx, by, params }) =>
    inTransaction(granted => {
      const row = findSeenRedirect(ctx, granted, params.siteRedirectId)
      if (!row) throw missing('redirect', params.siteRedirectId)
      publishDraft(editing(ctx, granted, by), row.source, row.source_folded)
      return { to: `${shownOn(params)}#redirects`, notice: 'The redirect was published.' }
    }),
})

export const duplicateOnSite = form({
  path: '/sites/:organizationId/:siteId/site-spaces/:siteSpaceId/duplicate',
  scope: 'sites:write',
  access: site('create'),
  body: z.object({}),
  shownOn,
  act: async asked => {
    const { ctx, by, me, params } = asked
    const { space } = siteSpaceOf(startEdit(asked), params.siteSpaceId)
    const wanted = { site: asked.site, space, user: me }
    const { copy, avoid } = await duplicateForSite(ctx, wanted, undefined, by.origin)

    return inTransaction((granted: SiteGrant) => {
      const edit = startEdit({ ctx, by, ...granted })
      const original = siteSpaceOf(edit, params.siteSpaceId).row
      const placed = checkPlaceable(ctx, edit.site, copy.id, me.id)
      placeCopy(edit, original, { space: placed, draft: false }, avoid)
      return { to: `${shownOn(params)}#structure`, notice: `“${copy.title}” was made.` }
    })
  },
})

export const fillSite = form({
  path: '/sites/:organizationId/:siteId/template',
  scope: 'sites:write',
  access: site('create'),
  body: z.object({
    template: z.string().max(100).optional(),
  }),
  shownOn,
  act: async ({ ctx, by, me, site: row, params, body: { template } }) => {
    const templates = template ? [template] : undefined
    await applySiteTemplate(ctx, { site: row, templates, user: me }, undefined, by.origin)
    return {
      to: shownOn(params),
      notice: 'The site has pages now. Edit them, and then publish the site.',
    }
  },
})

const editing = (ctx: Context, granted: SiteGrant, by: EventActor) => ({
  ctx,
  by,
  view: viewForUser(ctx, granted.site, granted.user, granted.role),
  hidden: hiddenFrom(ctx, granted.site, granted.user, granted.role),
})
