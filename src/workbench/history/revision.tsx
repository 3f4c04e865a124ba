import { z } from 'zod'
import { space } from '../../access/guards/space.ts'
import { atLeast } from '../../access/roles.ts'
import { type Comparison, compare } from '../../actions/audience/compare.ts'
import type { OpenContent } from '../../actions/audience/open-content.ts'
import { revertContent } from '../../actions/change-requests/revert.ts'
import { primaryHead } from '../../actions/heads/primary-head.ts'
import { missing } from '../../errors.ts'
import { timeOf } from '../../git/values/commit-time.ts'
import { parseOid } from '../../lib/oid.ts'
import { form, page } from '../frame/page.ts'
import { Form, Submit } from '../parts/form.tsx'
import { Badge, Empty, Row, Rows, Section } from '../parts/pieces.tsx'
import { Time } from '../parts/time.tsx'
import { openGranted } from '../space/open-space.ts'
import { revisionOfPath } from '../space/revision-of-path.ts'
import { subjectOf } from './history.tsx'

/** The most pages and files that are listed. */
const mostListed = 300

type Loaded = { open: OpenContent; comparison: Comparison | undefined; isCurrent: boolean }

/** Opens a change request with the content of a revision. */
export const restoreForm = form({
  path: '/s/:spaceId/history/:revisionId/restore',
  scope: 'change-requests:write',
  access: space('edit'),
  body: z.object({}),
  shownOn: ({ spaceId, revisionId }) => `/s/${spaceId}/history/${revisionId}`,
  act: async ({ ctx, space, user, params, by }) => {
    const revision = parseOid(params.revisionId)
    if (!revision) throw missing('revision', params.revisionId)
    const row = await revertContent(ctx, { space, by: user, revision, origin: by.origin })
    return {
      to: `/s/${space.id}/changes/${row.number}`,
      notice: 'It has the content of the revision. Merge it to publish that.',
    }
  },
})

export const revision = page({
  path: '/s/:spaceId/history/:revisionId',
  scope: 'content:read',
  access: revisionOfPath,
  load: async (asked): Promise<Loaded> => {
    const open = await openGranted(asked)
    const { head } = await primaryHead(asked.ctx, asked.space)
    const isCurrent = head === open.view.oid
    const [parent] = open.view.parents
    if (parent === undefined) return { open, comparison: undefined, isCurrent }
    const before = await openGranted({ ...asked, scope: { kind: 'revision', oid: parent } })
    return { open, comparison: await compare(before, open), isCurrent }
  },
  view: ({ open, comparison, isCurrent }, { space, params, role }) => {
    const path = `/s/${space.id}`
    const { message, author, committedAt, oid } = open.view
    const [, ...rest] = message.trim().split(/\r?\n/)
    const more = rest.join('\n').trim()
    return {
      title: subjectOf(message),
      crumbs: [
        { title: space.title, to: path },
        { title: 'History', to: `${path}/history` },
      ],
      width: 'wide',
      actions: !isCurrent && atLeast(role, 'edit') && (
        <Form to={`${path}/history/${params.revisionId}/restore`} label="Restore this revision">
          <Submit>Restore the space to this revision…</Submit>
        </Form>
      ),
      body: (
        <>
          <p class="muted">
            {author.name}, <Time at={timeOf(committedAt)} />, revision <code>{oid}</code>
          </p>
          {more !== '' && <pre class="message">{more.slice(0, 10_000)}</pre>}
          <Section title="What it changed" id="changed">
            <Changed path={`${path}/history/${params.revisionId}`} {...{ open, comparison }} />
          </Section>
        </>
      ),
    }
  },
})

const tones = { new: 'success', changed: 'warning', removed: 'danger' } as const

function Changed({ path, open, comparison }: Omit<Loaded, 'isCurrent'> & { path: string }) {
  if (!comparison) return <Empty>It is the first revision of the space.</Empty>
  const { pages, files } = comparison
  const entries = [
    ...[...pages.marks].flatMap(([id, mark]) => {
      const node = open.shown.content.pageById.get(id)
      return node ? [{ mark, title: node.title, to: `${path}/p/${id}` }] : []
    }),
    ...pages.removed.map(({ page }) => ({ mark: 'removed' as const, title: page.title })),
    ...files.map(({ path: title, mark }) => ({ mark, title })),
  ]
  if (entries.length === 0) return <Empty>It changed no page and no file.</Empty>

  return (
    <>
      <Rows>
        {entries.slice(0, mostListed).map(({ mark, ...row }) => (
          <Row {...row} end={<Badge tone={tones[mark]}>{mark}</Badge>} />
        ))}
      </Rows>
      {entries.length > mostListed && <p class="muted">{entries.length - mostListed} more.</p>}
    </>
  )
}
