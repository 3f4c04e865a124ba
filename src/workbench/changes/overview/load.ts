import { roleOnSpace } from '../../../access/space-role.ts'
import { descriptionOf } from '../../../actions/change-requests/description.ts'
import { addedByChangeRequest } from '../../../actions/findings/read-findings.ts'
import { registryFor } from '../../../actions/findings/registry-for.ts'
import {
  blocksChangedIn,
  type ChangedPage,
  linksToRemoved,
  placeChangeOf,
} from '../../../actions/reviewing/changed-pages.ts'
import { countCommits } from '../../../actions/reviewing/commits.ts'
import type { Around } from '../../../actions/reviewing/conversation.ts'
import type { BlockCounts } from '../../../actions/reviewing/count-blocks.ts'
import type { OpenRequest } from '../../../actions/reviewing/open-request.ts'
import { documentToMarkdown } from '../../../content/document/to-markdown.ts'
import type { Finding } from '../../../content/findings/kinds.ts'
import { listRequestedReviewers } from '../../../store/discussions/requested-reviewers.ts'
import { listLatestReviews, listReviews } from '../../../store/discussions/reviews.ts'
import { listMembers } from '../../../store/people/members.ts'
import { findUsers } from '../../../store/people/users.ts'
import type { ReviewRow } from '../../../store/tables/rows.ts'
import { loadConversation, type Showing, type ShownConversation } from '../conversation/load.ts'
import type { RequestPage } from '../load-request.ts'
import { commentWriter } from '../request-text.ts'

/** The most pages that the overview lists. */
const mostPages = 50

/** A page that changes, as the overview lists it. */
export type ListedChange = {
  page: ChangedPage
  place: ReturnType<typeof placeChangeOf>
  blocks: BlockCounts | undefined
  /** How many files still link to a removed page. */
  linked: number
}

/** A user whose review is asked for, or who reviewed. */
export type Reviewer = {
  id: string
  name: string
  isAsked: boolean
  review: ReviewRow['status'] | undefined
  /** The review is about an earlier revision. */
  isEarlier: boolean
}

export type Overview = RequestPage & {
  description: { markdown: string; html: string }
  changes: readonly ListedChange[]
  commits: { ahead: number; behind: number }
  findings: readonly Finding[]
  reviewers: readonly Reviewer[]
  /** Who else can be asked for a review. */
  candidates: readonly { id: string; name: string }[]
  conversation: ShownConversation
  /** The address that Git fetches the space from. */
  remote: string
}

/** Loads what the overview of a change request shows. */
export async function loadOverview(
  data: RequestPage,
  showing: Showing,
  around: Around,
): Promise<Overview> {
  const { place, pages } = data
  const { open, request } = place
  const { ctx, space } = open
  const signal = open.signal ?? new AbortController().signal
  const listed = pages.slice(0, mostPages)
  const blocks = await blocksChangedIn(place, listed, signal)
  const linked = await linksToRemoved(ctx, place)
  const document = descriptionOf(request)
  const markdown = document ? documentToMarkdown(document) : ''
  const write = commentWriter(open, showing.hrefOf)
  const reviewers = reviewersOf(place)

  return {
    ...data,
    description: { markdown, html: markdown.trim() === '' ? '' : await write(markdown) },
    changes: listed.map(page => ({
      page,
      place: placeChangeOf(place, page),
      blocks: blocks(page),
      linked: linked.get(page.node.id)?.size ?? 0,
    })),
    commits: await countCommits(ctx, request),
    findings: data.merge ? await findingsAdded(place) : [],
    reviewers,
    candidates: data.merge ? candidatesOf(place, reviewers) : [],
    conversation: await loadConversation(showing, around),
    remote: `${ctx.publicUrl()}/${space.id}.git`,
  }
}

const findingsAdded = ({ open, request, user }: OpenRequest): Promise<readonly Finding[]> =>
  addedByChangeRequest(open.ctx, request, open.view, registryFor(open.ctx, open.space, user))

/** The most reviewers, and the most members who are offered as reviewers. */
const mostReviewers = 100
const mostCandidates = 200

function reviewersOf({ open: { ctx }, request }: OpenRequest): Reviewer[] {
  const { store } = ctx
  const asked = listRequestedReviewers(store, request.id, mostReviewers).map(row => row.user_id)
  const latest = new Map<string, Pick<ReviewRow, 'status' | 'revision'>>()
  for (const row of listReviews(store, request.id, { head: request.revision }, mostReviewers))
    if (!latest.has(row.reviewer_id)) latest.set(row.reviewer_id, row)
  for (const row of listLatestReviews(store, request.id, request.revision))
    latest.set(row.reviewer_id, { status: row.status, revision: request.revision })

  const ids = [...new Set([...asked, ...latest.keys()])]
  const users = findUsers(store, ids)

  return ids.map(id => {
    const review = latest.get(id)
    return {
      id,
      name: users.get(id)?.display_name ?? '',
      isAsked: asked.includes(id),
      review: review?.status,
      isEarlier: review !== undefined && review.revision !== request.revision,
    }
  })
}

/** Returns the members who may read the space and were not asked yet. */
function candidatesOf(
  { open: { ctx, space }, request, role }: OpenRequest,
  reviewers: readonly Reviewer[],
): { id: string; name: string }[] {
  if (role === 'read' || role === 'comment') return []
  const known = new Set([
    ...reviewers.filter(each => each.isAsked).map(({ id }) => id),
    request.created_by,
  ])
  const members = listMembers(
    ctx.store,
    space.organization_id,
    { sort: 'joinedAt', order: 'asc' },
    mostCandidates,
  )
  const ids = members.map(row => row.user_id).filter(id => !known.has(id))
  const users = findUsers(ctx.store, ids)
  return ids
    .filter(id => roleOnSpace(ctx, space, id) !== null)
    .map(id => ({ id, name: users.get(id)?.display_name ?? '' }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
}
