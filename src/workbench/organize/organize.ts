import { z } from 'zod'
import { directions, moveBy } from '../../actions/writing/moves.ts'
import type { Change } from '../../content/edit/changes.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import { Fault, invalid } from '../../errors.ts'
import { lineOfText } from '../../lib/line-of-text.ts'
import { type Done, form, page } from '../frame/page.ts'
import { fieldProblem } from '../frame/problems.ts'
import {
  baseOf,
  change,
  contentOf,
  inRequest,
  inSpace,
  type Organizer,
  pageIn,
} from './in-request.ts'
import { type Organized, organizeView } from './organize-view.tsx'

const OrganizeQuery = z.object({ page: z.string().max(100).optional() })

const OrganizeForm = z.object({
  /** "rename" or "group"; or a direction and the id of what moves. */
  do: z.string().min(1).max(120),
  page: z.string().max(100).optional(),
  title: lineOfText(0, 300).optional(),
  slug: lineOfText(0, 100).optional(),
  redirect: z.literal('on').optional(),
  hidden: z.literal('on').optional(),
})

type OrganizeForm = z.output<typeof OrganizeForm>

async function load(
  asked: Organizer & { query: { page?: string | undefined } },
): Promise<Organized> {
  const { space, changeRequest, query } = asked
  const { content } = await contentOf(asked)
  return {
    space: { id: space.id, title: space.title },
    base: baseOf(asked),
    number: changeRequest?.number,
    content,
    chosen: query.page === undefined ? undefined : content.pageById.get(query.page),
  }
}

async function act(asked: Parameters<typeof change>[0] & { body: OrganizeForm }): Promise<Done> {
  const view = await contentOf(asked)
  const { body } = asked
  const changes = changesOf(view, body)
  if (changes.length === 0)
    return { to: `${baseOf(asked)}/organize`, notice: 'Nothing was changed.' }

  const { base, number } = await change(asked, changes)
  const [, moved] = body.do.split(' ')
  const id = moved ?? body.page
  return {
    to: `${base}/organize${id === undefined ? '' : `#p-${id}`}`,
    notice: `Saved in #${number}.`,
  }
}

function changesOf(view: RevisionView, body: OrganizeForm): Change[] {
  if (body.do === 'group') {
    if (!body.title) throw fieldProblem('title', 'takes a title')
    return [{ operation: 'insert_group', title: body.title }]
  }

  if (body.do === 'rename') return renamed(pageIn(view, body.page ?? ''), body)

  const [word, id = ''] = body.do.split(' ')
  const direction = directions.find(each => each === word)
  if (!direction)
    throw invalid(
      `"${body.do.slice(0, 40)}" is not an action of this page. Reload it and use its buttons.`,
    )
  const step = moveBy(view.content, pageIn(view, id), direction)
  if (!step)
    throw new Fault(
      'edit_conflict',
      'This place no longer exists: the page was moved in the meantime.',
    )
  return [step]
}

/** Returns the change that gives an entry another title or address; none if it has both. */
function renamed(node: PageNode, { title, slug, redirect, hidden }: OrganizeForm): Change[] {
  if (title === '') throw fieldProblem('title', 'takes a title')
  const isGroup = node.type === 'group'
  const fields = {
    ...(title !== undefined && title !== node.title && { title }),
    ...(slug && slug !== node.slug && node.type !== 'link' && { slug }),
  }
  if (isGroup)
    return Object.keys(fields).length === 0
      ? []
      : [{ operation: 'update_group', page: node.id, ...fields }]

  const isHidden = node.facts?.frontMatter.hidden === true
  const hides = node.type === 'document' && (hidden === 'on') !== isHidden
  const set = { ...fields, ...(hides && { hidden: hidden === 'on' }) }
  if (Object.keys(set).length === 0) return []
  const redirects = redirect === 'on' && node.type === 'document'
  return [{ operation: 'update_page', page: node.id, ...set, ...(redirects && { redirect: true }) }]
}

export const organizeSpace = page({
  path: `${inSpace.base}/organize`,
  scope: 'content:read',
  access: inSpace.access,
  query: OrganizeQuery,
  load,
  view: organizeView,
})

export const organizeRequest = page({
  path: `${inRequest.base}/organize`,
  scope: 'content:read',
  access: inRequest.access,
  query: OrganizeQuery,
  load,
  view: organizeView,
})

export const changeSpace = form({
  path: `${inSpace.base}/organize`,
  scope: 'change-requests:write',
  access: inSpace.access,
  body: OrganizeForm,
  shownOn: ({ spaceId }) => `/s/${spaceId}/organize`,
  act,
})

export const changeRequestContents = form({
  path: `${inRequest.base}/organize`,
  scope: 'change-requests:write',
  access: inRequest.access,
  body: OrganizeForm,
  shownOn: ({ spaceId, changeRequestId }) => `/s/${spaceId}/changes/${changeRequestId}/organize`,
  act,
})
