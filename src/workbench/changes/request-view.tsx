import { atLeast } from '../../access/roles.ts'
import type { View } from '../frame/page.ts'
import { A, ButtonLink } from '../parts/link.tsx'
import { More } from '../parts/more.tsx'
import { useAt } from '../parts/surroundings.ts'
import { livePath } from './live.ts'
import type { RequestPage } from './load-request.ts'
import { changesPath, requestPath } from './paths.ts'
import { Status, titleOf } from './status.tsx'

type Tab = 'overview' | 'pages' | 'files' | 'conflicts'

/** Returns what the pages of a change request have in common, around the body of one. */
export function requestView(
  data: RequestPage,
  current: Tab,
  more: Pick<View, 'body'> & Partial<View>,
): View {
  const { open, request } = data.place
  const path = requestPath(request)
  const conflicts = data.merge?.conflicts.length ?? 0
  const tab = (name: Tab, title: string, count?: number) => ({
    title,
    to: name === 'overview' ? path : `${path}/${name}`,
    count,
    current: current === name,
  })

  return {
    title: `${titleOf(request)} #${request.number}`,
    heading: <Heading {...data} />,
    crumbs: [
      { title: open.space.title, to: `/s/${open.space.id}` },
      { title: 'Change requests', to: changesPath(open.space.id) },
    ],
    actions: <Actions {...data} />,
    tabs: [
      tab('overview', 'Overview'),
      tab('pages', 'Pages', data.pages.length),
      tab('files', 'Files', data.place.compared?.files.length ?? 0),
      ...(data.merge || current === 'conflicts' ? [tab('conflicts', 'Conflicts', conflicts)] : []),
    ],
    live: livePath(request),
    width: 'wide',
    ...more,
  }
}

const Heading = ({ place: { request } }: RequestPage) => (
  <>
    <span class="request-title" dir="auto">
      {titleOf(request)}
    </span>{' '}
    <span class="number">#{request.number}</span> <Status of={request.status} />
  </>
)

function Actions({ place: { request, open, role }, pages, merge, preview }: RequestPage) {
  const at = useAt()
  const path = requestPath(request)
  const isOpen = request.status === 'open' || request.status === 'draft'
  const isReady = merge?.conflicts.length === 0 && merge.rules.every(({ unmet }) => !unmet)
  const first = pages.find(({ kind, node }) => kind !== 'removed' && node.file)?.node
  const start = first ?? [...open.shown.content.pageById.values()].find(({ file }) => file)
  return (
    <>
      {isOpen && atLeast(role, 'edit') && start && (
        <ButtonLink to={`${path}/edit/${start.id}`}>Edit</ButtonLink>
      )}
      {isOpen && preview !== undefined && (
        <a href={preview} class="btn">
          Preview <span aria-hidden="true">↗</span>
        </a>
      )}
      <button type="button" class="btn with-script" data-action="link" data-href={at(path)}>
        Copy link
      </button>
      {isOpen && (
        <ButtonLink to={`${path}#merge`} class={isReady ? 'primary' : ''}>
          Merge…
        </ButtonLink>
      )}
      {isOpen && atLeast(role, 'edit') && (
        <More>
          <li>
            <A to={`${path}/new`}>New page</A>
          </li>
          <li>
            <A to={`${path}/organize`}>Organize its pages</A>
          </li>
        </More>
      )}
    </>
  )
}
