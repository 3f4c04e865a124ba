import { z } from 'zod'
import { primaryContent } from '../../access/guards/content.ts'
import { atLeast } from '../../access/roles.ts'
import { findingsOfRevision } from '../../actions/findings/read-findings.ts'
import { registryFor } from '../../actions/findings/registry-for.ts'
import { countFindings } from '../../content/findings/count.ts'
import type { Finding } from '../../content/findings/kinds.ts'
import { page } from '../frame/page.ts'
import { ButtonLink } from '../parts/link.tsx'
import { Badge, Empty, Pager, Row, Rows } from '../parts/pieces.tsx'
import { openGranted } from './open-space.ts'
import { tabsOf } from './tabs.ts'

/** The findings on one page. */
const ofPage = 100

const tones = { error: 'danger', warning: 'warning', info: 'info' } as const

export const spaceFindings = page({
  path: '/s/:spaceId/findings',
  scope: 'content:read',
  access: primaryContent,
  query: z.object({
    from: z
      .string()
      .regex(/^\d{1,6}$/, 'takes a number')
      .transform(Number)
      .optional(),
  }),
  load: async asked => {
    const { ctx, space, user, query, request } = asked
    const open = await openGranted(asked)
    const registry = registryFor(ctx, space, user)
    const { findings } = await findingsOfRevision(
      ctx,
      space.id,
      open.view,
      registry,
      request.signal,
    )
    const from = query.from ?? 0
    const { pageByFile } = open.shown.content
    const rows = findings.slice(from, from + ofPage).map(finding => ({
      finding,
      page: finding.file === undefined ? undefined : pageByFile.get(finding.file),
    }))
    return { rows, from, total: findings.length, counts: countFindings(findings) }
  },
  view: ({ rows, from, total }, { space, role }) => {
    const path = `/s/${space.id}`
    const at = (start: number) => `${path}/findings?from=${start}`
    return {
      title: 'Findings',
      heading: space.title,
      crumbs: [{ title: space.title, to: path }],
      tabs: tabsOf(space.id, 'findings'),
      width: 'wide',
      body: (
        <>
          {total === 0 && (
            <Empty>
              No problems found: every link has a target, and all content is understood.
            </Empty>
          )}
          {total > 0 && <p class="muted">{total === 1 ? 'One finding' : `${total} findings`}</p>}
          {rows.length > 0 && (
            <Rows>
              {rows.map(({ finding, page: node }) => (
                <Row
                  {...(node && { to: `${path}/p/${node.id}` })}
                  title={finding.message}
                  small={<Where finding={finding} title={node?.title} />}
                  end={
                    <>
                      <Badge tone={tones[finding.severity]}>{finding.severity}</Badge>
                      {node && atLeast(role, 'edit') && (
                        <ButtonLink to={`${path}/edit/${node.id}`} class="small">
                          Edit
                        </ButtonLink>
                      )}
                    </>
                  }
                />
              ))}
            </Rows>
          )}
          <Pager
            newer={from > 0 ? at(Math.max(0, from - ofPage)) : undefined}
            older={from + ofPage < total ? at(from + ofPage) : undefined}
          />
        </>
      ),
    }
  },
})

function Where({ finding, title }: { finding: Finding; title: string | undefined }) {
  const { file, line, advice } = finding
  const place = file === undefined ? '' : line === undefined ? file : `${file}, line ${line}`
  return (
    <>
      {[title, place].filter(Boolean).join(' · ')}
      {place && <br />}
      {advice}
    </>
  )
}
