import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'

let app: App
let driven: Driven
let space = ''
test.before(async () => {
  app = await startApp()
  driven = clientFor(app, app.admin)
  space = (await driven.client.orgs.createSpace('acme', { title: 'Docs' })).data.id
})
test.after(() => app.stop())

const text = (markdown: string) => ({ body: { markdown } })
const none = { page: undefined, limit: undefined } as object

test('a discussion in a space', async () => {
  const { spaces } = driven.client
  const page = (await spaces.getPageByPath(space, 'readme')).data.id
  const comment = (await spaces.postCommentInSpace(space, { ...text('Hello'), page })).data
  assert.equal(comment.target.page, { id: page })
  const reply = (await spaces.postCommentReplyInSpace(space, comment.id, text('Hi'))).data
  const edited = (
    await spaces.updateCommentInSpace(space, comment.id, {
      ...text('Hello!'),
      addedReactions: ['👋'],
      resolved: true,
    })
  ).data

  assert.is(edited.status, 'resolved' as never)
  assert.is(edited.reactions[0]?.count, 1)
  await spaces.updateCommentReplyInSpace(space, comment.id, reply.id, { addedReactions: ['👍'] })
  assert.is(
    (await spaces.getCommentReplyInSpace(space, comment.id, reply.id)).data.reactions[0]?.emoji,
    '👍',
  )
  assert.is((await spaces.listCommentRepliesInSpace(space, comment.id, none)).data.items.length, 1)
  const query = {
    status: 'resolved',
    order: 'asc',
    targetPage: page,
    authors: [app.admin.id, 'x'],
    format: 'document',
  }
  const list = (await spaces.listCommentsInSpace(space, query as never)).data

  assert.is(list.items.length, 1)
  assert.ok('document' in list.items[0]!.body)
  assert.is((await spaces.listCommentersInSpace(space, none)).data.items[0]?.id, app.admin.id)
  await spaces.deleteCommentReplyInSpace(space, comment.id, reply.id)
  assert.is((await spaces.getCommentInSpace(space, comment.id)).data.replies, 0)
  await spaces.deleteCommentInSpace(space, comment.id)
  await spaces.deleteCommentInSpace(space, comment.id)
})

test('a discussion in a change request', async () => {
  const { spaces } = driven.client
  const request = String(
    (await spaces.createChangeRequest(space, { subject: 'Better' })).data.number,
  )
  const comment = (await spaces.postCommentInChangeRequest(space, request, text('Hello'))).data
  const reply = (
    await spaces.postCommentReplyInChangeRequest(space, request, comment.id, text('Hi'))
  ).data

  await spaces.updateCommentInChangeRequest(space, request, comment.id, { addedReactions: ['👋'] })
  assert.is((await spaces.getChangeRequestById(space, request)).data.comments, 1)
  await spaces.updateCommentReplyInChangeRequest(space, request, comment.id, reply.id, {
    resolved: true,
  })
  assert.is((await spaces.getChangeRequestById(space, request)).data.comments, 0)
  const read = (await spaces.getCommentInChangeRequest(space, request, comment.id)).data

  assert.is(read.repliers[0]?.count, 1)
  assert.is(
    (await spaces.getCommentReplyInChangeRequest(space, request, comment.id, reply.id)).data.id,
    reply.id,
  )

  assert.is(
    (await spaces.listCommentRepliesInChangeRequest(space, request, comment.id, none)).data.count,
    1,
  )
  assert.is((await spaces.listCommentsInChangeRequest(space, request, none)).data.count, 1)
  assert.is((await spaces.listCommentersInChangeRequest(space, request, none)).data.count, 1)
  await spaces.deleteCommentReplyInChangeRequest(space, request, comment.id, reply.id)
  await spaces.deleteCommentInChangeRequest(space, request, comment.id)
})

test('every operation that the client has for these was called', () => {
  assert.equal(notDriven(/\/(?:comments|commenters)(?:\/|$)/, driven.done), [])
})

test.run()
