import { z } from 'zod'
import { firstAdmin } from '../../access/guards/organization.ts'
import { createNamedOrganization } from '../../actions/people/create-organization.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { lineOfText } from '../../lib/line-of-text.ts'
import { form, page } from '../frame/page.ts'
import { Form, Submit, TextField } from '../parts/form.tsx'

export const newOrganization = page({
  path: '/organizations/new',
  scope: undefined,
  access: firstAdmin,
  load: () => ({}),
  view: () => ({
    title: 'New organization',
    crumbs: [{ title: 'People', to: '/people' }],
    body: (
      <Form to="/organizations" class="stacked">
        <p class="muted">
          An organization has members, spaces and sites of its own. You become its first admin, and
          invite the others.
        </p>
        <TextField name="title" label="Title" required maxlength={255} />
        <Submit kind="primary">Create organization</Submit>
      </Form>
    ),
  }),
})

export const addOrganization = form({
  path: '/organizations',
  scope: 'organization:admin',
  access: firstAdmin,
  body: z.object({ title: lineOfText(2, 255) }),
  shownOn: () => '/organizations/new',
  act: ({ ctx, by, me, body: { title } }) =>
    inTransaction(() => {
      const { id } = createNamedOrganization(ctx, { title, admin: me.id }, by)
      return { to: `/people/${id}`, notice: 'The organization was created.' }
    }),
})
