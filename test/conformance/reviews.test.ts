import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSpace, type Space } from '../api/change-requests/workbench.ts'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'

let app: App
let space: Space
let author: Driven
let reviewer: Driven
test.before(async () => {
  app = await startApp()
  space = await makeSpace(app)
  author = clientFor(app, app.admin)
  reviewer = clientFor(app, space.user('Rev', 'review'))
})
test.after(() => app.stop())

test('reviewers are asked, review, and are asked no longer', async () => {
  const { spaces } = author.client
  const theirs = reviewer.client.spaces
  const { number } = (await spaces.createChangeRequest(space.id, { subject: 'Clearer' })).data
  const request = String(number)
  const asked = await spaces.requestReviewersForChangeRequest(space.id, request, { users: ['rev'] })

  assert.is(asked.data.users?.length, 1)
  const listed = await spaces.getRequestedReviewersByChangeRequestId(space.id, request, {
    limit: 10,
  })

  assert.equal(listed.data.items, asked.data.users)
  const made = await theirs.submitChangeRequestReview(space.id, request, {
    status: 'approved' as never,
    comment: { markdown: 'Good.' } as never,
  })

  assert.is(made.data.requestedBy?.id, app.admin.id)
  const reviews = await spaces.getReviewsByChangeRequestId(space.id, request, { outdated: false })

  assert.equal(
    reviews.data.items.map(item => [item.id, item.outdated]),
    [[made.data.id, false]],
  )
  const read = await theirs.getChangeRequestReviewById(space.id, request, made.data.id, {
    format: 'document' as never,
  })

  assert.ok(read.data.comment)
  await spaces.removeRequestedReviewerFromChangeRequest(space.id, request, 'rev')
  const { orgs } = reviewer.client

  assert.is(
    (await orgs.listChangeRequestsForOrganization('acme', { contributor: 'rev' })).data.items
      .length,
    1,
  )

  assert.is(
    (await orgs.listChangeRequestsForOrganization('acme', { requestedReviewer: 'rev' })).data.items
      .length,
    0,
  )
})

test('every operation that the client has for these was called', () => {
  assert.equal(
    notDriven(/\/(?:reviews|requested-reviewers)(?:\/|$)/, author.done, reviewer.done),
    [],
  )
})

test.run()
