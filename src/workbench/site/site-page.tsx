import { z } from 'zod'
import { site } from '../../access/guards/site.ts'
import { atLeast } from '../../access/roles.ts'
import type { ListedTemplate } from '../../actions/spaces/read-templates.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { page } from '../frame/page.ts'
import { Checkbox, Form, Select, Submit, TextArea } from '../parts/form.tsx'
import { ButtonLink } from '../parts/link.tsx'
import { Badge, Empty, Pager, Row, Rows, Section } from '../parts/pieces.tsx'
import { loadSite, type ShownRedirect, type SiteParts } from './load-site.ts'
import { NewSiteSpace } from './new-site-space.tsx'
import { Publication } from './publication.tsx'
import { Structure } from './structure.tsx'

export const sitePage = page({
  path: '/sites/:organizationId/:siteId',
  scope: ['sites:read', 'content:read'],
  access: site('create'),
  query: z.object({
    after: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  }),
  load: async ({ query: { after }, ...asked }) => ({
    ...(await loadSite({ ...asked, after })),
    path: `/sites/${asked.organization.id}/${asked.site.id}`,
    isFirst: after === undefined,
    isAdmin: atLeast(asked.role, 'admin'),
  }),
  view: shown => ({
    title: shown.view.site.title,
    crumbs: [{ title: 'Sites', to: `?list=sites&of=${shown.view.site.organization_id}` }],
    actions: shown.isAdmin && <ButtonLink to={`${shown.path}/reads`}>What readers do</ButtonLink>,
    width: 'wide',
    body: (
      <div class="stacked">
        <Publication {...shown} site={shown.view.site} publishes={shown.isAdmin} />
        {shown.templates ? (
          <FirstPages templates={shown.templates} spaces={shown.spaces} path={shown.path} />
        ) : (
          <Structure view={shown.view} spaces={shown.spaces} path={shown.path} />
        )}
        <Redirects {...shown} />
      </div>
    ),
  }),
})

type Shown = SiteParts & { path: string; isFirst: boolean }

type First = { templates: ListedTemplate[]; spaces: SpaceRow[]; path: string }

const FirstPages = ({ templates, spaces, path }: First) => (
  <Section title="Structure" id="structure">
    <Empty>The site shows nothing yet.</Empty>
    <Form to={`${path}/template`} class="stacked">
      <Select
        name="template"
        label="Begin with pages to fill in"
        options={[
          { value: '', title: 'Documentation, API, changelog' },
          ...templates.map(({ id, title }) => ({ value: id, title })),
        ]}
        hint="Each becomes a new space, in a section of its own if there are several. Readers see nothing before the site is published."
      />
      <Submit kind="primary">Add the pages</Submit>
    </Form>
    <NewSiteSpace spaces={spaces} path={path} isFirst />
  </Section>
)

const Redirects = ({ redirects, older, path, isFirst }: Shown) => (
  <Section title="Redirects" id="redirects">
    <Form to={`${path}/redirects`} class="stacked">
      <TextArea
        name="lines"
        label="Redirects to add or change"
        rows={6}
        required
        placeholder={'/old/page /new/page\n/blog/* https://blog.example.org/*'}
        hint="One on a line: the old path, and the path of a page or an https address, separated by a space, a comma or a tab; at most 500. A “*” at the end of the old path matches all that follows; one at the end of the address appends it. Paths begin at the base of the site."
      />
      <Checkbox name="permanent" label="Permanent: search engines keep the new address" />
      <Submit kind="primary">Save redirects</Submit>
    </Form>
    {redirects.length === 0 ? (
      <Empty>The site has no redirects here.</Empty>
    ) : (
      <Rows>
        {redirects.map(each => (
          <RedirectRow {...each} path={path} />
        ))}
      </Rows>
    )}
    <Pager
      newer={isFirst ? undefined : `${path}#redirects`}
      older={older === undefined ? undefined : `${path}?after=${older}#redirects`}
    />
  </Section>
)

const RedirectRow = ({ row, target, path }: ShownRedirect & { path: string }) => (
  <Row
    title={
      <>
        {row.source} {row.draft === 1 && <Badge>Draft</Badge>}{' '}
        {row.permanent === 1 && <Badge>Permanent</Badge>}
      </>
    }
    small={
      target === undefined ? 'to a deleted page' : `to ${target}${row.capture_wildcard ? '*' : ''}`
    }
    end={
      <div class="person-forms">
        {row.draft === 1 && (
          <Form to={`${path}/redirects/${row.id}/publish`} class="inline">
            <Submit label={`Publish the redirect from ${row.source}`}>Publish</Submit>
          </Form>
        )}
        <Form to={`${path}/redirects/${row.id}/delete`} class="inline">
          <Submit label={`Delete the redirect from ${row.source}`}>Delete</Submit>
        </Form>
      </div>
    }
  />
)
