import type { Express, Request, Response } from 'express'
import type { SignedInUser } from '../access/session.ts'
import { openSpace } from '../actions/heads/open-space.ts'
import { primaryHead } from '../actions/heads/primary-head.ts'
import { isRevision } from '../actions/revisions/is-revision.ts'
import { viewRevision } from '../actions/revisions/view-revision.ts'
import { readingBaseOf } from '../actions/sites/reading-address.ts'
import { withComputed } from '../actions/specs/computed-pages.ts'
import { addressOfPage } from '../content/tree/page-address.ts'
import type { Context } from '../context.ts'
import { Fault, missing } from '../errors.ts'
import { abortSignalOf } from '../http/abort-signal.ts'
import { signedInUser } from '../http/browser-session.ts'
import { type Admission, applicantOf } from '../http/limits/admission.ts'
import { addressGroup, clientAddress } from '../http/limits/client-address.ts'
import type { Throttles } from '../http/limits/throttles.ts'
import { type Oid, parseOid } from '../lib/oid.ts'
import { rememberedSpace } from '../store/spaces/spaces.ts'
import type { SpaceRow } from '../store/tables/rows.ts'
import { redirect, relativeTo } from '../ui/serving/redirect.ts'
import { isOnServer, addressOf as requestAddress } from '../ui/serving/request-address.ts'
import { signInTo } from '../ui/serving/sign-in.ts'
import { failWithPage } from './pages/fail.ts'
import { memberOf } from './place/member.ts'

type Served = { ctx: Context; throttles: Throttles; admission: Admission }

/** What an address below `/app` names. */
type Named = { space: string; revision?: string; page?: string }

/**
 * Serves the addresses below `/app` that the API names in `urls.app`: each leads a member to the
 * site that shows a space, a page or a revision at the moment. Everyone else is asked to sign in,
 * whether or not the address leads anywhere.
 */
export function serveAppAddresses(app: Express, served: Served): void {
  const paths = ['', '/p/:page', '/history/:revision', '/history/:revision/p/:page']
  for (const path of paths)
    app.get(`/app/s/:space${path}`, (req, res, next) => {
      // On the host of a site, this is the path of a page.
      if (!isOnServer(served.ctx, requestAddress(served.ctx, req))) return next()
      return lead(served, req, res).catch(error => failWithPage(served.ctx, req, res, error))
    })
}

async function lead({ ctx, throttles, admission }: Served, req: Request, res: Response) {
  const user = signedInUser(ctx, throttles, req, res)
  if (!user) throw signInTo(ctx, req.path)
  const client = addressGroup(clientAddress(req, ctx.config.trustProxy))
  const named = req.params as Named
  const target = await admission.run(applicantOf(user.actor, client), abortSignalOf(res), () =>
    addressOf(ctx, user, named),
  )

  const to = relativeTo(requestAddress(ctx, req), target)
  redirect(res.set('Cache-Control', 'private, no-store'), to, 303)
}

/** Returns the address on a site. Throws 'missing' for what the user may not read or no site shows. */
async function addressOf(
  ctx: Context,
  user: SignedInUser,
  { space: id, revision, page }: Named,
): Promise<string> {
  const space = rememberedSpace(ctx.store, id)
  if (!space || space.deleted_at !== null || !memberOf(ctx, user, space)) throw missing('space', id)

  const site = readingBaseOf(ctx, id)
  if (site === undefined)
    throw new Fault('missing', `No site shows the space "${space.title}". Add it to a site first.`)

  await openSpace(ctx, id)
  const oid = revision === undefined ? undefined : await revisionOf(ctx, space, revision)
  const base = oid === undefined ? site : `${site}~/revisions/${oid}/`

  return page === undefined ? base : pageIn(ctx, space, { base, oid, page })
}

async function revisionOf(ctx: Context, { id }: SpaceRow, name: string): Promise<Oid> {
  const oid = parseOid(name)
  if (oid === undefined || !(await isRevision(ctx, id, oid))) throw missing('revision', name)
  return oid
}

async function pageIn(
  ctx: Context,
  space: SpaceRow,
  { base, oid, page }: { base: string; oid: Oid | undefined; page: string },
): Promise<string> {
  const view = await viewRevision(ctx, space.id, oid ?? (await primaryHead(ctx, space)).head)
  const { content } = await withComputed(ctx, space.organization_id, view)
  const node = content.pageById.get(page)
  if (!node) throw missing('page', page)
  return addressOfPage(base, content, node)
}
