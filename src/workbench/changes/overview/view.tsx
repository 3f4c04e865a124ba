import { atLeast } from '../../../access/roles.ts'
import type { View } from '../../frame/page.ts'
import { Fold } from '../../parts/fold.tsx'
import { Form, Submit, TextArea, TextField } from '../../parts/form.tsx'
import { Time } from '../../parts/time.tsx'
import { Conversation } from '../conversation/view.tsx'
import { requestPath } from '../paths.ts'
import { requestView } from '../request-view.tsx'
import type { Overview } from './load.ts'
import { MergeBox } from './merge-box.tsx'
import { Panel } from './panel.tsx'
import { WhatItChanges } from './what-it-changes.tsx'

/** Returns the overview of a change request. */
export const overviewView = (data: Overview): View =>
  requestView(data, 'overview', {
    body: (
      <>
        <Summary {...data} />
        <div class="with-panel">
          <div class="main-column">
            <Description {...data} />
            <WhatItChanges {...data} />
            <Conversation data={data} conversation={data.conversation} />
            <MergeBox {...data} />
          </div>
          <aside class="panel" aria-label="About this change request">
            <Panel {...data} />
          </aside>
        </div>
      </>
    ),
  })

function Summary({ place: { request }, author, commits: { ahead } }: Overview) {
  const count = `${ahead} ${ahead === 1 ? 'commit' : 'commits'}`
  return (
    <p class="request-summary muted">
      <b>
        <bdi>{author}</bdi>
      </b>{' '}
      {request.status === 'merged' ? `wrote ${count}` : `wants to merge ${count}`}
      {request.branch !== null && (
        <>
          {' '}
          from <code>{request.branch}</code>
        </>
      )}
      , opened <Time at={request.created_at} />
    </p>
  )
}

function Description({ place: { request, role }, description }: Overview) {
  const { markdown, html } = description
  const mayEdit = atLeast(role, 'edit')
  return (
    <section class="section" aria-label="Description">
      {html === '' ? (
        <p class="muted">No description{mayEdit ? ' yet: say why this changes.' : '.'}</p>
      ) : (
        <div class="said prose" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />
      )}
      {mayEdit && (
        <Fold
          to={`${requestPath(request)}/text`}
          summary="Edit title and description"
          class="edit-text"
          isButton
        >
          <Form to={`${requestPath(request)}/text`} label="Title and description">
            <TextField name="subject" label="Title" value={request.subject} maxlength={100} />
            <TextArea
              name="description"
              label="Description"
              hint="Markdown. Say what readers get from it, and why."
              value={markdown}
              rows={8}
            />
            <Submit kind="primary">Save</Submit>
          </Form>
        </Fold>
      )}
    </section>
  )
}
