import { z } from 'zod'
import { organization } from '../../access/guards/organization.ts'
import { offeredSpaces } from '../../access/visible-spaces.ts'
import { createSite } from '../../actions/sites/create-site.ts'
import { publishSite } from '../../actions/sites/publish-site.ts'
import { checkPlaceable } from '../../actions/sites/structure/place-space.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { lineOfText } from '../../lib/line-of-text.ts'
import { form, page } from '../frame/page.ts'
import { Checkbox, Choice, Form, Select, Submit, TextField } from '../parts/form.tsx'
import { newSitePath } from './rows.tsx'

/** The columns of a site's row for each choice of its readers. */
const audiences = {
  public: { visibility: 'public', members_only: 0 },
  unlisted: { visibility: 'unlisted', members_only: 0 },
  members: { visibility: 'visitor-auth', members_only: 1 },
} as const

export const newSite = page({
  path: '/new/:organizationId/site',
  scope: ['sites:read', 'content:read'],
  access: organization('create'),
  load: ({ ctx, organization: { id, title }, me }) => ({
    id,
    title,
    spaces: offeredSpaces(ctx, id, me.id),
  }),
  view: ({ id, title, spaces }) => ({
    title: 'New site',
    crumbs: [{ title: 'Home', to: '' }],
    body: (
      <Form to={newSitePath(id)} class="stacked">
        <p class="muted">A site shows spaces of {title} to readers.</p>
        <TextField name="title" label="Title" required maxlength={128} />
        <Select
          name="space"
          label="Its first space"
          value={spaces[0]?.id ?? ''}
          options={[
            ...spaces.map(space => ({ value: space.id, title: space.title })),
            { value: '', title: 'None yet' },
          ]}
          hint="The page of the site adds more, and can begin an empty site with pages from a template."
        />
        <Choice
          name="audience"
          label="Who reads it"
          value="members"
          options={[
            { value: 'members', title: 'Members of the organization' },
            {
              value: 'unlisted',
              title: 'Everybody who knows the address; search engines leave it out',
            },
            { value: 'public', title: 'Everybody' },
          ]}
        />
        <Checkbox name="publish" label="Publish it now" checked />
        <Submit kind="primary">Create site</Submit>
      </Form>
    ),
  }),
})

export const addSite = form({
  path: '/new/:organizationId/site',
  scope: 'sites:admin',
  access: organization('create'),
  body: z.object({
    title: lineOfText(2, 128),
    space: z.string().max(100),
    audience: z.enum(['public', 'unlisted', 'members']),
    publish: z.string().optional(),
  }),
  shownOn: ({ organizationId }) => newSitePath(organizationId),
  act: ({ ctx, by, body: { title, space, audience, publish } }) =>
    inTransaction(({ organization: { id }, user }) => {
      const place = { organization_id: id }
      const spaces = space === '' ? [] : [checkPlaceable(ctx, place, space, user.id)]
      const order = { organizationId: id, title, audience: audiences[audience], spaces }
      const site = createSite(ctx, { ...order, userId: user.id }, by.origin)
      if (publish === 'on') publishSite(ctx, site, by)
      const notice = `“${title}” was ${publish === 'on' ? 'published' : 'created'}.`
      return { to: `/sites/${id}/${site.id}`, notice }
    }),
})
