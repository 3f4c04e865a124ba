import { sql } from 'kysely'
import type { Oid } from '../../../src/lib/oid.ts'
import { insertRequestedReviewer } from '../../../src/store/discussions/requested-reviewers.ts'
import { putViewedMark } from '../../../src/store/discussions/viewed-marks.ts'
import { sqlRows } from '../../../src/store/store.ts'
import type { Caller } from '../callers.ts'
import { at, put, putComment, putReply } from '../rows.ts'
import { another, type World } from '../world.ts'
import { type Calls, fresh, own } from './call.ts'

type Scope = 'InSpace' | 'InChangeRequest'

const idOf = ({ by }: World, { actor }: Caller) => actor.id || by.id

/** A comment of an author, with a reply of theirs, in the given scope. */
function thread({ app, ids }: World, scope: Scope, author: string) {
  const spaceId = ids.spaceId as string
  const changeRequestId = scope === 'InSpace' ? null : (ids.changeRequestId as string)
  const commentId = putComment(app, { spaceId, changeRequestId }, author)
  return { ids: { commentId, commentReplyId: putReply(app, spaceId, commentId, author) } }
}

const text = () => ({ body: { markdown: another('Text') } })

function comments(scope: Scope): Calls {
  const theirs = (world: World) => thread(world, scope, world.fellow)
  const mine = (world: World, caller: Caller) => thread(world, scope, idOf(world, caller))
  const read = fresh(theirs)

  return {
    [`postComment${scope}`]: fresh(() => ({ body: text() })),
    [`getComment${scope}`]: read,
    [`updateComment${scope}`]: own((world, caller) => ({ ...mine(world, caller), body: text() })),
    [`updateComment${scope}@theirs`]: fresh(world => ({ ...theirs(world), body: text() })),
    [`updateComment${scope}@resolve`]: own((world, caller) => ({
      ...mine(world, caller),
      body: { resolved: true },
    })),
    [`updateComment${scope}@resolve-theirs`]: fresh(world => ({
      ...theirs(world),
      body: { resolved: true },
    })),
    [`updateComment${scope}@react`]: fresh(world => ({
      ...theirs(world),
      body: { addedReactions: ['1f44d'] },
    })),
    [`deleteComment${scope}`]: own(mine),
    [`deleteComment${scope}@theirs`]: fresh(theirs),
    [`listCommentReplies${scope}`]: read,
    [`postCommentReply${scope}`]: fresh(world => ({ ...theirs(world), body: text() })),
    [`getCommentReply${scope}`]: read,
    [`updateCommentReply${scope}`]: own((world, caller) => ({
      ...mine(world, caller),
      body: text(),
    })),
    [`updateCommentReply${scope}@theirs`]: fresh(world => ({ ...theirs(world), body: text() })),
    [`updateCommentReply${scope}@react`]: fresh(world => ({
      ...theirs(world),
      body: { addedReactions: ['1f44d'] },
    })),
    [`deleteCommentReply${scope}`]: own(mine),
    [`deleteCommentReply${scope}@theirs`]: fresh(theirs),
  }
}

/** Makes a user the author of the world's change request. */
const setAuthor = ({ app, ids }: World, author: string) =>
  app.ctx.store.run(
    sqlRows(
      sql`update change_request set created_by = ${author} where id = ${ids.changeRequestId}`,
    ),
  )

const review = {
  space_id: '',
  change_request_id: '',
  revision: '1'.repeat(40),
  status: 'approved',
  created_at: at,
  updated_at: at,
}

/** The first page of the world's change request. */
async function itemOf({ by, ids }: World): Promise<string> {
  const path = `/v1/spaces/${ids.spaceId}/change-requests/${ids.changeRequestId}/content/pages`
  return (await by.get(path)).body.pages[0].id
}

/** Comments, replies and reviews. */
export const discussions: Calls = {
  ...comments('InSpace'),
  ...comments('InChangeRequest'),
  'updateCommentReplyInChangeRequest@resolve-theirs': fresh(world => ({
    ...thread(world, 'InChangeRequest', world.fellow),
    body: { resolved: true },
  })),
  markItemAsViewedInChangeRequest: own(async world => ({ ids: { itemId: await itemOf(world) } })),
  unmarkItemAsViewedInChangeRequest: own(async (world, caller) => {
    const itemId = await itemOf(world)
    putViewedMark(world.app.ctx.store, {
      change_request_id: world.ids.changeRequestId as string,
      user_id: idOf(world, caller),
      item_id: itemId,
      blob: '',
      includes: '',
      viewed_at: at,
    })
    return { ids: { itemId } }
  }),
  requestReviewersForChangeRequest: fresh(world => {
    world.app.ctx.store.run(sqlRows(sql`delete from requested_reviewer`))
    return { body: { users: [world.reviewer] } }
  }),
  removeRequestedReviewerFromChangeRequest: fresh(({ app, by, ids, reviewer }) => {
    insertRequestedReviewer(app.ctx.store, {
      space_id: ids.spaceId as string,
      change_request_id: ids.changeRequestId as string,
      user_id: reviewer,
      requested_by: by.id,
      revision: '1'.repeat(40) as Oid,
      created_at: at,
    })
    return { ids: { userId: reviewer } }
  }),
  getChangeRequestReviewById: fresh(({ app, ids, reviewer }) => ({
    ids: {
      reviewId: put(app, 'review', {
        ...review,
        space_id: ids.spaceId as string,
        change_request_id: ids.changeRequestId as string,
        reviewer_id: reviewer,
      }),
    },
  })),
  submitChangeRequestReview: fresh(world => {
    setAuthor(world, world.fellow)
    return { body: { status: 'approved' } }
  }),
  'submitChangeRequestReview@own': own((world, caller) => {
    setAuthor(world, idOf(world, caller))
    return { body: { status: 'approved' } }
  }),
}
