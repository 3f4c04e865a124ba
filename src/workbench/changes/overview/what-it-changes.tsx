import type { BlockCounts } from '../../../actions/reviewing/count-blocks.ts'
import { A } from '../../parts/link.tsx'
import { Empty, Note, Section } from '../../parts/pieces.tsx'
import { requestPath } from '../paths.ts'
import type { ListedChange, Overview } from './load.ts'

/** Returns the list of what a change request changes. */
export function WhatItChanges({ place, pages, changes }: Overview) {
  const { request, compared } = place
  const path = requestPath(request)
  const files = compared?.files.length ?? 0
  const more = pages.length - changes.length

  return (
    <Section title="What it changes" id="changes">
      {!compared && <Incomparable />}
      {compared && pages.length + files === 0 && (
        <Empty>
          <p>Nothing yet. Edit a page here, or push commits to its branch.</p>
        </Empty>
      )}
      {changes.length > 0 && (
        <ul class="plain changes">
          {changes.map(change => (
            <Change change={change} path={path} />
          ))}
        </ul>
      )}
      {more > 0 && (
        <p>
          <A to={`${path}/pages`}>
            {more} more {more === 1 ? 'page' : 'pages'}
          </A>
        </p>
      )}
      {files > 0 && (
        <p>
          <A to={`${path}/files`}>
            {pages.length > 0 && 'And '}
            {files} other {files === 1 ? 'file' : 'files'}
          </A>
        </p>
      )}
    </Section>
  )
}

/** Returns a note that nothing can be compared. */
export const Incomparable = () => (
  <Note tone="warning">
    <p>
      This branch and the published content have no commit in common, so they cannot be compared.
      Create a new change request, or merge them with Git.
    </p>
  </Note>
)

const signs = { new: '+', changed: '~', removed: '−', moved: '→' } as const

function Change({ change, path }: { change: ListedChange; path: string }) {
  const { page, place } = change
  const isMoved = page.kind === 'changed' && Object.keys(place).length > 0
  const sign = isMoved ? 'moved' : page.kind
  const title = <bdi>{page.node.title}</bdi>
  return (
    <li class={sign}>
      <span class="sign" aria-hidden="true">
        {signs[sign]}
      </span>
      <span class="what">
        {page.node.file || page.former?.file ? (
          <A to={`${path}/pages/${page.node.id}`} class="name">
            {title}
          </A>
        ) : (
          <span class="name">{title}</span>
        )}{' '}
        <span class="muted">{describe(change)}</span>
      </span>
    </li>
  )
}

/** Returns in words what happened to a page. */
function describe({ page, place, blocks, linked }: ListedChange): string {
  if (page.kind === 'new') return 'new page'
  if (page.kind === 'removed')
    return linked === 0
      ? 'removed'
      : `removed; ${linked} ${linked === 1 ? 'page still links' : 'pages still link'} to it`
  const said = [
    ...(place.title === undefined ? [] : [`renamed from “${place.title}”`]),
    ...(place.parent === undefined
      ? []
      : [place.parent === '' ? 'moved here' : `moved from “${place.parent}”`]),
    ...(place.path === undefined || place.title !== undefined ? [] : [`was ${place.path}`]),
    ...(blocks ? countsInWords(blocks) : []),
  ]
  return said.join(', ') || 'edited'
}

/** Returns counts of blocks in words: "3 blocks edited", "1 added". */
function countsInWords({ edited, added, removed, moved }: BlockCounts): string[] {
  const counts = [
    [edited, 'edited'],
    [added, 'added'],
    [removed, 'removed'],
    [moved, 'moved'],
  ] as const
  return counts
    .filter(([count]) => count > 0)
    .map(([count, what], at) =>
      at === 0 ? `${count} ${count === 1 ? 'block' : 'blocks'} ${what}` : `${count} ${what}`,
    )
}
