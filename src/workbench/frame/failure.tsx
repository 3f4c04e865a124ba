import { memberWithin, reachOf } from '../../access/reach.ts'
import type { SignedInUser } from '../../access/session.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import type { Failure } from '../../http/faults.ts'
import { listMembers } from '../../store/people/members.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { findUsers } from '../../store/people/users.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import { A } from '../parts/link.tsx'
import { Note } from '../parts/pieces.tsx'
import { KeptFields } from './kept-fields.tsx'
import type { View } from './page.ts'

const titles: Readonly<Record<number, string>> = {
  400: 'This address is not valid',
  403: 'You may not do this',
  404: 'Not found, or you have no access',
  409: 'This cannot be done now',
  413: 'This is too large',
  429: 'Too many requests',
  500: 'This page cannot be shown',
  503: 'The server is busy',
  507: 'The disk is full',
}

type Failed = {
  ctx: Context
  failure: Failure
  /** The path that was asked for, below `/app`. */
  path: string
  actor: SignedInUser['actor'] | undefined
  requestId: string
  /** What was typed, if a form failed. */
  values?: ReadonlyMap<string, string>
}

/** Returns the page that says why a request failed, who can help, and how one goes on. */
export function failureView(failed: Failed): View {
  const { failure, values, requestId } = failed
  const { status, body, expected } = failure
  const help = status === 403 || status === 404 ? helpFor(failed) : undefined

  return {
    title: titles[status] ?? 'This did not work',
    status,
    body: (
      <>
        <p class="lead">{body.error.message}</p>
        {help && <Note>{help.text}</Note>}
        <p class="ways-on">
          {help?.back && (
            <A to={help.back.to} class="btn">
              Back to {help.back.title}
            </A>
          )}
          <A to="" class="btn">
            Home
          </A>
        </p>
        {values && <KeptFields values={values} />}
        {!expected && <p class="small muted">Request {requestId}</p>}
      </>
    ),
  }
}

/** The most admins that are named. */
const mostNamed = 5

/** Returns who can give a role, and the page that the user may see. */
function helpFor({ ctx: whole, failure, path, actor }: Failed): {
  text: string
  back?: { title: string; to: string }
} {
  const [, id = ''] = /^\/s\/([^/?]+)/.exec(path) ?? []
  const space = rememberedSpace(whole.store, id)
  const ctx = actor && { ...whole, reach: reachOf(actor.token) }
  const isSeen = space && ctx && roleOnSpace(ctx, space, actor.user.id) !== null
  if (!isSeen || space.deleted_at !== null) return { text: strangers }

  const back = { title: space.title, to: `/s/${space.id}` }
  if (failure.status === 404)
    return { text: 'It may have been renamed, moved or removed: look in its history.', back }

  const { organization_id: organizationId } = space
  const organization = findOrganization(ctx.store, organizationId)?.title ?? organizationId
  const member = memberWithin(ctx, organizationId, actor.user.id)
  const names = member?.role ? adminsOf(ctx, organizationId) : []
  const who = names.length > 0 ? `: ${names.join(', ')}` : ''
  return { text: `Admins of ${organization} give roles${who}.`, back }
}

const strangers =
  'The address may be mistyped, or what it names was removed. If you were sent the link, its sender or an admin of the organization can give you the role "read".'

function adminsOf({ store }: Context, organizationId: string): string[] {
  const list = { role: 'admin', sort: 'joinedAt', order: 'asc' } as const
  const ids = listMembers(store, organizationId, list, mostNamed).map(({ user_id }) => user_id)
  const users = findUsers(store, ids)
  return ids.flatMap(id => users.get(id)?.display_name ?? [])
}
