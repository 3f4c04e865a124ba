import { site } from '../../access/guards/site.ts'
import { page } from '../frame/page.ts'
import { Empty, Row, Rows, Section } from '../parts/pieces.tsx'
import { loadReads, type Read, shownDays } from './load-reads.ts'

export const siteReads = page({
  path: '/sites/:organizationId/:siteId/reads',
  scope: ['sites:read', 'content:read'],
  access: site('admin'),
  load: loadReads,
  view: ({ pages, inVain, searches, views }, { site: { id, title, organization_id: of } }) => ({
    title: 'What readers do',
    crumbs: [
      { title: 'Sites', to: `?list=sites&of=${of}` },
      { title, to: `/sites/${of}/${id}` },
    ],
    body: (
      <div class="stacked">
        <p class="muted">
          The last {shownDays} days: {views} views of pages. No data about single readers is stored.
          Programs that identify themselves, such as crawlers, are not counted.
        </p>
        <Reads title="Most-read pages" id="pages" reads={pages} none="No page was read yet." />
        <Reads
          title="Searches without results"
          id="in-vain"
          reads={inVain}
          none="No search was without results."
        />
        <Reads title="Searches" id="searches" reads={searches} none="No searches yet." />
      </div>
    ),
  }),
})

const Reads = (props: { title: string; id: string; reads: readonly Read[]; none: string }) => (
  <Section title={props.title} id={props.id}>
    {props.reads.length === 0 ? (
      <Empty>{props.none}</Empty>
    ) : (
      <Rows>
        {props.reads.map(({ title, to, count }) => (
          <Row {...(to !== undefined && { to })} title={title} end={String(count)} />
        ))}
      </Rows>
    )}
  </Section>
)
